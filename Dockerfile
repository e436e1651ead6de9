# One image for every role: the container's command picks it (`docker run roomcell cell`).
#
# Node 24 is a long-term release (LTS since October 2025, fixes until April 2028) and lies between
# the two versions that continuous integration runs. The same base in both stages: packages are
# installed where they will run. The compiler is the one optional package and stays behind.

FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev --omit=optional --no-audit --no-fund

FROM node:24-trixie-slim
# What is not told otherwise is production: it refuses development's addresses and secrets.
ENV NODE_ENV=production \
    ROOMCELL_CONFIG=/opt/roomcell/config/production.yaml
WORKDIR /opt/roomcell
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist/src ./dist/src
COPY package.json ./
COPY config ./config
COPY migrations ./migrations
COPY schemas ./schemas
# The image's own user `node`, as a number: Kubernetes can only tell that a number is not root.
USER 1000:1000
# In exec form, so that node is process 1 and gets SIGTERM itself: npm or a shell would swallow it.
ENTRYPOINT ["node", "dist/src/main/cli.js"]
CMD ["--help"]
