// What the page asks the server for.

/** The server's answer to a request; an Error with its status, 0 where it can't be reached. */
async function request(path, content) {
  const options = content && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(content),
  };
  let response;
  try {
    response = await fetch(`annotate/${path}`, options);
  } catch {
    throw Object.assign(new Error("The server can't be reached."), { status: 0 });
  }
  const answer = await response.json().catch(() => ({ error: `the server's answer can't be read` }));
  if (!answer.error) return answer;
  const words = answer.error[0].toUpperCase() + answer.error.slice(1);
  throw Object.assign(new Error(/[.!?]$/.test(words) ? words : `${words}.`), { status: response.status });
}
