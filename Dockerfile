# Clearance in a container: `docker build -t clearance .`, then, where the scene is:
#   docker run --rm -u "$(id -u):$(id -g)" -v "$PWD:/data" clearance run my_scene.json -o out/mine
# Built from this source in one stage; the other holds Debian's smallest system and the packages that come out (docs/install.md).
FROM debian:12 AS build
WORKDIR /clearance
# What the build needs changes seldom: a layer of its own.
COPY dev .
RUN ./dev deps --packaging
COPY . .
RUN ./dev package

FROM debian:12-slim
COPY --from=build /clearance/out/packages/ /packages/
RUN apt-get update \
  && apt-get install -y --no-install-recommends /packages/clearance_*.deb /packages/clearance-mesh_*.deb \
    /packages/python3-clearance_*.deb ffmpeg \
  && rm -rf /packages /var/lib/apt/lists/*
# What is filled with tetrahedra is kept here; any user may write it.
ENV CLEARANCE_CACHE=/tmp/clearance
WORKDIR /data
USER 1000:1000
ENTRYPOINT ["clearance"]
CMD ["--help"]
