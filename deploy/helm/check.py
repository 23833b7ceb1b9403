"""Lints the Helm chart, renders it with several values, and validates the result against the schemas of Kubernetes.

    pip install helm-python-sdk kubernetes-validate && python deploy/helm/check.py
"""

import sys
from pathlib import Path

import helm_python as helm
import kubernetes_validate
import yaml

CHART = Path(__file__).parent / "cairn"
KUBERNETES = ["1.25", "1.30", "1.34"]
# Custom resources: there are no schemas of them.
WITHOUT_SCHEMA = {"ScaledObject", "ServiceMonitor"}
SECRET = {"existingSecret": "cairn"}
SCALED = {"autoscaling": {"enabled": True}}
EVERYTHING = {
    **SECRET,
    "image": {"repository": "registry.example.org/cairn", "tag": "1"},
    "imagePullSecrets": [{"name": "registry"}],
    "config": {"PUBLIC_URL": "https://cairn.example.org", "MEDIA_URL": "s3://cairn", "PORT": 8080},
    "secretEnv": [{"name": "SMTP_PASSWORD", "secretName": "smtp", "key": "password"}],
    "server": {**SCALED, "nodeSelector": {"disk": "ssd"}, "tolerations": [{"operator": "Exists"}]},
    "workers": {"webhooks": SCALED, "requests": {**SCALED, "affinity": {"nodeAffinity": {}}}},
    "ingress": {"enabled": True, "tlsSecret": "tls"},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "dataVolume": {"persistentVolumeClaim": {"claimName": "cairn-data"}},
    "extraVolumes": [{"name": "share", "emptyDir": {}}],
    "extraVolumeMounts": [{"name": "share", "mountPath": "/share"}],
    "podAnnotations": {"a": "b"},
    "podLabels": {"c": "d"},
    "priorityClassName": "high",
}
VALID = {
    "the defaults": (SECRET, 8),
    "everything": (EVERYTHING, 14),
    "KEDA": ({**EVERYTHING, "autoscaling": {"method": "keda"}}, 14),
    "one worker": ({**SECRET, "workers": {"events": None, "webhooks": None, "requests": {"kinds": ["events", "webhooks", "requests", "upkeep"]}}}, 6),
}
# The values and a part of the error.
INVALID = {
    "no secret": ({}, "existingSecret: name a secret"),
    "an unknown value": ({**SECRET, "replicas": 3}, "replicas"),
    "a secret in the config": ({**SECRET, "config": {"SECRET_KEY": "x"}}, "SECRET_KEY"),
    "work that nobody does": ({**SECRET, "workers": {"events": None}}, "no entry does the kind of work"),
    "an unknown kind of work": ({**SECRET, "workers": {"webhooks": {"kinds": ["mail"]}}}, "must be one of"),
}


def rendered(values):
    """The documents of the chart, as an installation would create them."""
    with helm.Chart.load(str(CHART)) as chart:
        chart.validate_schema(values)
        files = chart.render(values, name="cairn", namespace="team", is_install=True)
    return [
        (name, document)
        for name, text in files.items()
        if not name.endswith((".txt", ".tpl"))
        for document in yaml.safe_load_all(text)
        if document is not None
    ]


def problems_of(name, document):
    if document["kind"] in WITHOUT_SCHEMA:
        return
    for version in KUBERNETES:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            yield f"{name} in Kubernetes {version}: {'.'.join(str(part) for part in error.path)}: {error.message}"


def pod_problems(name, document):
    """Every container runs without privileges, has limits, and can be probed unless it ends by itself."""
    if document["kind"] not in ("Deployment", "Job"):
        return
    spec = document["spec"]["template"]["spec"]
    if spec["securityContext"].get("runAsNonRoot") is not True:
        yield f"{name}: may run as root"
    for container in spec["containers"]:
        security = container["securityContext"]
        if not security["readOnlyRootFilesystem"] or security["allowPrivilegeEscalation"]:
            yield f"{name}: has too many privileges"
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        if not mounted <= {volume["name"] for volume in spec["volumes"]}:
            yield f"{name}: mounts an unknown volume"
        if document["kind"] == "Deployment" and not {"livenessProbe", "readinessProbe"} <= container.keys():
            yield f"{name}: has no probes"


def main():
    problems = []
    for title, (values, count) in VALID.items():
        report = helm.lint(str(CHART), values, strict=True)
        found = [message["error"] for message in report["messages"] if message["severity"] > 1] + report["errors"]
        documents = rendered(values)
        found += [problem for each in documents for check in (problems_of, pod_problems) for problem in check(*each)]
        if len(documents) != count:
            found.append(f"{len(documents)} documents instead of {count}: {[each['kind'] for _, each in documents]}")
        problems += [f"{title}: {problem}" for problem in found]
        print(f"{'ok' if not found else 'FAILED'}: {title}, {len(documents)} documents")
    for title, (values, expected) in INVALID.items():
        try:
            rendered(values)
            problems.append(f"{title}: is accepted")
        except helm.HelmError as error:
            if expected not in str(error):
                problems.append(f"{title}: {error}")
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
