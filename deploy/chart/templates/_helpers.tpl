{{- define "prevail.labels" -}}
app.kubernetes.io/name: prevail
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "prevail.selector" -}}
app.kubernetes.io/name: prevail
app.kubernetes.io/component: controller
{{- end }}

{{/* Combinations that would not work are refused here, with what to do. values.schema.json checks single values. */}}
{{- define "prevail.validate" -}}
{{- if and (eq .Values.mode "observe") (or .Values.own .Values.reportAffected) }}
{{- fail (printf "own and reportAffected are about status, which is not written in the mode %s: use the mode report or gateway" .Values.mode) }}
{{- end }}
{{- if and (ne .Values.webhook.mode "deny") (or .Values.webhook.refuseConflicts .Values.webhook.confirmAbove (eq .Values.webhook.failurePolicy "Fail")) }}
{{- fail (printf "webhook.refuseConflicts, .confirmAbove and .failurePolicy are about what is refused, and webhook.mode is %s: use the mode deny" .Values.webhook.mode) }}
{{- end }}
{{- if and .Values.viewApi.enabled (lt (int .Values.replicas) 2) }}
{{- fail "replicas is 1: while the only replica of the view API restarts, no namespace of the cluster can be deleted. Set replicas to 2 or more, or viewApi.enabled to false" }}
{{- end }}
{{- end }}

{{/* Not empty if the controller writes status, which one replica does. */}}
{{- define "prevail.writesStatus" -}}
{{- if ne .Values.mode "observe" }}yes{{ end }}
{{- end }}

{{/* Not empty if the API server connects to the controller, which then needs a certificate and a Service. */}}
{{- define "prevail.servesApiServer" -}}
{{- if or .Values.viewApi.enabled (ne .Values.webhook.mode "off") }}yes{{ end }}
{{- end }}

{{- define "prevail.priorityClassName" -}}
{{- if .Values.priorityClass.name }}{{ .Values.priorityClass.name }}{{ else if .Values.priorityClass.create }}prevail{{ end }}
{{- end }}

{{- define "prevail.subjects" -}}
- {kind: ServiceAccount, name: prevail-controller, namespace: {{ .Release.Namespace }}}
{{- end }}
