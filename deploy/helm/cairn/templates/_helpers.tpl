{{- define "cairn.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "cairn.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "cairn.secret" -}}
{{ required "existingSecret: name a secret with DATABASE_URL and SECRET_KEY" .Values.existingSecret }}
{{- end -}}

{{/* Environment of every process. Hooks run before the config map exists, so the values are here. */}}
{{- define "cairn.env" -}}
envFrom:
  - secretRef:
      name: {{ include "cairn.secret" . }}
env:
  - name: MONITORING_PORT
    value: '9090'
  {{- range $name, $value := .Values.config }}
  - name: {{ $name }}
    value: {{ $value | toString | quote }}
  {{- end }}
  {{- range .Values.secretEnv }}
  - name: {{ .name }}
    valueFrom:
      secretKeyRef:
        name: {{ .secretName }}
        key: {{ .key }}
  {{- end }}
{{- end -}}

{{- define "cairn.volumeMounts" -}}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "cairn.volumes" -}}
volumes:
  - name: data
    {{- toYaml .Values.dataVolume | nindent 4 }}
  - name: tmp
    {{- toYaml .Values.tmpVolume | nindent 4 }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* What all pods have in common, apart from their containers. */}}
{{- define "cairn.pod" -}}
serviceAccountName: {{ include "cairn.name" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{ include "cairn.volumes" . }}
{{- end -}}

{{- define "cairn.probes" -}}
startupProbe:
  httpGet: { path: /live, port: monitoring }
  periodSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /live, port: monitoring }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /ready, port: monitoring }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}
