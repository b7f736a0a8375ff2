"""Prints, as Makefile variables, the compiler flags that the installed TensorFlow and pybind11 ask for."""

import os
import sysconfig

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import pybind11
import tensorflow as tf

print("TF_CFLAGS :=", " ".join(tf.sysconfig.get_compile_flags()))
print("TF_LFLAGS :=", " ".join(tf.sysconfig.get_link_flags()))
print("PYBIND_CFLAGS :=", f"-I{pybind11.get_include()} -I{sysconfig.get_paths()['include']}")
