{{- define "trivium.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "trivium.fullname" -}}
{{- $name := include "trivium.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "trivium.selectorLabels" -}}
app.kubernetes.io/name: {{ include "trivium.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "trivium.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "trivium.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "trivium.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "trivium.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "trivium.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "trivium.configMap" -}}
{{- if .Values.existingConfigMap }}
{{- .Values.existingConfigMap }}
{{- else if .Values.config }}
{{- include "trivium.fullname" . }}
{{- end }}
{{- end }}

{{- /* Mistakes that a schema cannot express. They name the value, and what to do. */}}
{{- define "trivium.checks" -}}
{{- $isPostgres := eq .Values.database.engine "postgresql" }}
{{- if and $isPostgres (not .Values.database.existingSecret) }}
{{- fail "database.existingSecret is missing: name a secret with the URL of PostgreSQL (kubectl create secret generic NAME --from-literal=DATABASE_URL=postgres://...)" }}
{{- end }}
{{- if and $isPostgres (not .Values.masterSecret.existingSecret) }}
{{- fail "masterSecret.existingSecret is missing: all pods share the master secret (kubectl create secret generic NAME --from-literal=TRIVIUM_SECRET=$(openssl rand -hex 32))" }}
{{- end }}
{{- if and (not $isPostgres) .Values.database.existingSecret }}
{{- fail "database.existingSecret is set, but database.engine is sqlite: set database.engine to postgresql" }}
{{- end }}
{{- if and (not $isPostgres) .Values.autoscaling.enabled }}
{{- fail "autoscaling.enabled needs database.engine postgresql: one pod owns a SQLite file" }}
{{- end }}
{{- if and .Values.masterSecret.oldKey (not .Values.masterSecret.existingSecret) }}
{{- fail "masterSecret.oldKey is a key of masterSecret.existingSecret: set both" }}
{{- end }}
{{- if and .Values.existingConfigMap .Values.config }}
{{- fail "config and existingConfigMap are both set: remove one of them" }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.existingSecret) }}
{{- fail "metrics.serviceMonitor.enabled needs metrics.existingSecret: /metrics requires a token" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) }}
{{- fail "ingress.hosts is empty: name the host of server.public_url" }}
{{- end }}
{{- end }}
