import { serveFileRequests } from "../sources/serve-file-requests.ts";

serveFileRequests();
