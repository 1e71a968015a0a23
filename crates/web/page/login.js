// The page that a link opens: it stores the key and goes to the sessions.

import { keepLoginKey } from "./key.js";

const key = document.querySelector('meta[name="key"]')?.getAttribute("content") ?? "";
if (keepLoginKey(key)) location.replace("/");
else {
  const next = document.getElementById("next");
  if (next) next.textContent = "But this browser does not store data for this address: allow it to, and open a new link.";
}
