# `zerograd lint` for CI, without torch:
#
#     docker build --tag zerograd .
#     docker run --rm --volume "$PWD:/src:ro" zerograd lint
#
FROM python:3.13-slim AS build
WORKDIR /zerograd
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir /wheels/*.whl && rm -r /wheels && useradd --create-home --uid 1000 lint
USER 1000
WORKDIR /src
ENTRYPOINT ["zerograd"]
CMD ["lint"]
