// Posts a comment on a pull request of GitHub or a merge request of GitLab, or updates the one that it posted before.
//   node scripts/post-comment.mjs FILE [--name NAME] [--update-only]
// The first line of the comment, which is not shown, has NAME: each name has one comment. With --update-only nothing is posted anew.
// GitHub: GITHUB_API_URL, GITHUB_REPOSITORY, PREVAIL_NUMBER, GITHUB_TOKEN. GitLab: CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, PREVAIL_GITLAB_TOKEN.
// A token that may not write comments is reported, and is no failure: those of pull requests from forks may not.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const DEADLINE_MS = 30_000;
const PAGE_SIZE = 100;
const MAX_PAGES = 50;

const { env } = process;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { name: { type: "string", default: "plan" }, "update-only": { type: "boolean", default: false } },
});
const [file] = positionals;
if (file === undefined || positionals.length > 1) fail("usage: post-comment.mjs FILE [--name NAME] [--update-only]");

const marker = `<!-- prevail: ${values.name.replaceAll(/[^\w.-]/g, "-")} -->`;
const body = `${marker}\n${readFileSync(file, "utf8")}`;
const service = env.CI_API_V4_URL === undefined ? gitHub() : gitLab();
await post();

/** Where comments are listed, posted and changed, and the headers of the requests. */
function gitHub() {
  const api = `${required("GITHUB_API_URL")}/repos/${required("GITHUB_REPOSITORY")}/issues`;
  return {
    comments: `${api}/${required("PREVAIL_NUMBER")}/comments`,
    one: (id) => `${api}/comments/${id}`,
    update: "PATCH",
    headers: {
      authorization: `Bearer ${required("GITHUB_TOKEN")}`,
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
    },
  };
}

function gitLab() {
  const project = encodeURIComponent(required("CI_PROJECT_ID"));
  const notes = `${env.CI_API_V4_URL}/projects/${project}/merge_requests/${required("CI_MERGE_REQUEST_IID")}/notes`;
  return {
    comments: notes,
    one: (id) => `${notes}/${id}`,
    update: "PUT",
    headers: { "private-token": required("PREVAIL_GITLAB_TOKEN") },
  };
}

function required(name) {
  const value = env[name];
  if (value === undefined || value === "") fail(`${name} is not set`);
  return value;
}

async function post() {
  const known = await findComment();
  if (known === undefined && values["update-only"]) {
    console.log("Nothing changes, and there is no earlier comment: nothing is posted.");
    return;
  }
  const { comments, one, update } = service;
  const response =
    known === undefined ? await send("POST", comments, { body }) : await send(update, one(known.id), { body });
  allowed(response);
  if (!response.ok) fail(`the comment cannot be written: ${response.status} ${await response.text()}`);
  console.log(known === undefined ? "The comment is posted." : "The comment is updated.");
}

/** The comment that begins with the marker. */
async function findComment() {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const response = await send("GET", `${service.comments}?per_page=${PAGE_SIZE}&page=${page}`);
    allowed(response);
    if (!response.ok) fail(`comments cannot be listed: ${response.status} ${await response.text()}`);
    const comments = await response.json();
    const found = comments.find((comment) => comment.body?.startsWith(marker));
    if (found !== undefined || comments.length < PAGE_SIZE) return found;
  }
  return undefined;
}

/** Ends here, without a failure, if the token is not allowed to do what was asked for. */
function allowed({ status }) {
  if (status !== 401 && status !== 403 && status !== 404) return;
  console.log(`The token may not write comments here (${status}). A pull request from a fork has such a token.`);
  process.exit(0);
}

async function send(method, url, data) {
  try {
    return await fetch(url, {
      method,
      headers: { ...service.headers, "content-type": "application/json", "user-agent": "prevail" },
      signal: AbortSignal.timeout(DEADLINE_MS),
      ...(data === undefined ? {} : { body: JSON.stringify(data) }),
    });
  } catch (error) {
    return fail(`${new URL(url).origin} does not respond: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fail(message) {
  console.error(`post-comment: ${message}`);
  process.exit(1);
}
