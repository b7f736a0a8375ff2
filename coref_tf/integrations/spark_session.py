"""The Spark session of a job: that of spark-submit, or a new one."""

import os
import sys
from collections.abc import Mapping

from pyspark.sql import SparkSession

from coref_tf.support.environment import ROOT

# Python does the work, and Java little: to compile that to the utmost takes a worker longer than it saves.
_LIGHT_JAVA = "-XX:TieredStopAtLevel=1"


def session(master: str | None = None, properties: Mapping[str, str] | None = None) -> SparkSession:
    """The session, unless told otherwise on this machine.

    Args:
        master: the cluster's address, such as spark://host:7077.
        properties: of Spark's, which go before what is chosen here.

    Example:
        with session("local[2]", {"spark.executor.memory": "2g"}) as spark:
            resolve(spark.read.parquet("articles"), key_column="id").write.parquet("clusters")
    """
    chosen = {}
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit has set all that it was told
        chosen = {"spark.app.name": "coref_tf", "spark.ui.showConsoleProgress": "false"}
        chosen["spark.log.level"] = "FATAL"  # what failed is told in one line
        chosen |= {f"spark.{part}.extraJavaOptions": _LIGHT_JAVA for part in ("driver", "executor")}
        if (master or "local").startswith("local"):
            # Workers are processes of this machine: the same Python, the same package.
            chosen["spark.pyspark.python"] = os.environ.get("PYSPARK_PYTHON", sys.executable)
            chosen["spark.executorEnv.PYTHONPATH"] = str(ROOT)
    chosen |= {"spark.master": master} if master else {}
    chosen |= properties or {}
    if "spark.pyspark.python" in chosen:
        os.environ["PYSPARK_PYTHON"] = chosen["spark.pyspark.python"]  # where PySpark looks
    return SparkSession.builder.config(map=chosen).getOrCreate()
