// What the page asks of the server, and what it hands to the reader to keep.

// Ask; a status that is not good becomes an Error with the server's sentence.
export async function request(path, options = {}) {
  const token = sessionStorage.getItem("token");
  const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server cannot be reached.");
  }
  if (response.ok) return response;
  const { error, hint } = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  throw Object.assign(new Error(hint ? `${error} ${hint}` : error), { status: response.status });
}

// Send files, or a text, to be read.
export async function read(files, text) {
  const options = { method: "POST" };
  if (files.length) {
    options.body = new FormData();
    for (const file of files) options.body.append("file", file, file.name);
  } else {
    options.body = JSON.stringify({ text });
    options.headers = { "Content-Type": "application/json" };
  }
  return (await request("v1/readings", options)).json();
}

// Save what an address answers as a file; gives its name.
export async function download(path) {
  const response = await request(path);
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "summary";
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  return name;
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https the clipboard is closed to pages; the old way still works.
    const area = Object.assign(document.createElement("textarea"), { value: text, className: "sr" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
