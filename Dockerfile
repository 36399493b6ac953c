# The image of the controller: Node and one bundled program. No shell, no package manager, not root, and nothing that has to be written.
#   npm run image            builds dist/ and then this image
# BASE can be another image with Node 20.19 or newer at /nodejs/bin/node.
ARG BASE=gcr.io/distroless/nodejs22-debian12:nonroot
FROM ${BASE}
WORKDIR /app
COPY package.json LICENSE ./
COPY dist/bin dist/bin
USER 65532:65532
ENV NODE_ENV=production
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/bin/prevail.js"]
