"""The API is what its description says, for requests that nobody thought of."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

pytestmark = pytest.mark.slow

OPERATIONS = [
    ("/v1/summarize", "POST"),
    ("/v1/summarize/batch", "POST"),
    ("/v1/summarize/together", "POST"),
    ("/v1/locate", "POST"),
    ("/v1/text", "POST"),
    ("/v1/readings", "POST"),
    ("/v1/readings/{reading}", "GET"),
    ("/v1/readings/{reading}", "DELETE"),
    ("/v1/readings/{reading}/document", "GET"),
    ("/v1/readings/{reading}/text", "GET"),
    ("/v1/readings/{reading}/locate", "POST"),
    ("/v1/readings/{reading}/questions", "GET"),
    ("/v1/readings/{reading}/pages", "GET"),
    ("/v1/readings/{reading}/pages/{page}", "GET"),
    ("/v1/readings/{reading}/summary", "GET"),
    ("/v1/models", "GET"),
    ("/healthz", "GET"),
    ("/metrics", "GET"),
]
CONFORMS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)


@pytest.fixture(scope="session")
def described(client: TestClient) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", client.app)


def test_all_operations_are_tried(described: Any) -> None:
    found = {(result.ok().path, result.ok().method.upper()) for result in described.get_all_operations()}
    assert found == set(OPERATIONS)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_requests_of_all_kinds(described: Any, path: str, method: str, mode: GenerationMode) -> None:
    operation = described[path][method]
    if mode is GenerationMode.NEGATIVE and not (operation.body or operation.query):
        return  # nothing that could be wrong

    @given(operation.as_strategy(generation_mode=mode))
    @settings(max_examples=10, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    def try_one(case: schemathesis.Case) -> None:
        response = case.call()
        # In a form an empty list is no field at all, and so not wrong.
        is_wrong = mode is GenerationMode.NEGATIVE and case.media_type != "multipart/form-data"
        checks = (*CONFORMS, negative_data_rejection) if is_wrong else CONFORMS
        case.validate_response(response, checks=checks)
        if response.status_code >= 400:
            assert response.json()["error"].endswith(".")

    try_one()


def test_the_description_names_every_limit(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/v1/summarize"]["post"]
    assert {"200", "401", "413", "415", "422", "429", "503"} <= set(operation["responses"])
    assert set(operation["requestBody"]["content"]) == {"application/json", "multipart/form-data"}
