// The requests of the page.

/** Returns the server's answer; throws an Error with its status, or 0 if the server cannot be reached. */
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
