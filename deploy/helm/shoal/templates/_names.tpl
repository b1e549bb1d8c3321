{{- define "shoal.name" -}}
{{- if contains "shoal" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-shoal" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "shoal.selector" -}}
app.kubernetes.io/name: shoal
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "shoal.labels" -}}
{{ include "shoal.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "shoal.secret" -}}
{{- default (include "shoal.name" .) .Values.existingSecret -}}
{{- end }}

{{- define "shoal.account" -}}
{{- default (include "shoal.name" .) .Values.serviceAccountName -}}
{{- end }}

{{- define "shoal.members" -}}
{{- $name := include "shoal.name" . -}}
{{- $list := list -}}
{{- range $i := until (int .Values.initialMembers) -}}
{{- $list = append $list (printf "%s-%d=%s-%d.%s-nodes:7701" $name $i $name $i $name) -}}
{{- end -}}
{{- join "," $list -}}
{{- end }}
