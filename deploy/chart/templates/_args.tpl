{{/* The options of `prevail controller`, a line each. */}}
{{- define "prevail.args" -}}
{{- if eq .Values.mode "observe" }}
- --view-only
{{- else }}
- --lease=prevail-controller
{{- if .Values.own }}
- --own=RetryPolicy.prevail.dev,ClusterRetryPolicy.prevail.dev{{ range .Values.own }},{{ .kind }}.{{ .apiGroup }}{{ end }}
{{- end }}
{{- range .Values.reportAffected }}
- --report-affected={{ .kind }}{{ with .apiGroup }}.{{ . }}{{ end }}
{{- end }}
{{- end }}
{{- if eq .Values.mode "gateway" }}
- --xds=0.0.0.0:18000
- --envoy-image={{ .Values.gateway.envoyImage }}
- --privileged-ports={{ .Values.gateway.privilegedPorts }}
{{- if not (kindIs "invalid" .Values.gateway.maxReplicas) }}
- --max-replicas={{ int .Values.gateway.maxReplicas }}
{{- end }}
{{- with .Values.gateway.maxResources }}
- --max-resources={{ range $index, $name := keys . | sortAlpha }}{{ if $index }},{{ end }}{{ $name }}={{ get $.Values.gateway.maxResources $name }}{{ end }}
{{- end }}
{{- with .Values.gateway.infrastructureKeys }}
- {{ printf "--infrastructure-keys=%s" (join "," .) | quote }}
{{- end }}
{{- end }}
- --service={{ .Release.Namespace }}/prevail-view
{{- if not .Values.viewApi.enabled }}
- --listen=off
{{- end }}
{{- if not (include "prevail.servesApiServer" .) }}
{{- else if eq .Values.certificates.from "own" }}
- --secret=prevail-tls
{{- else }}
- --tls-cert=/var/run/prevail/tls/tls.crt
- --tls-key=/var/run/prevail/tls/tls.key
{{- end }}
{{- if ne .Values.webhook.mode "off" }}
- --webhook=0.0.0.0:9443
{{- end }}
{{- if eq .Values.webhook.mode "deny" }}
- --deny
{{- if .Values.webhook.refuseConflicts }}
- --refuse-conflicts
{{- end }}
{{- if .Values.webhook.confirmAbove }}
- --confirm-above={{ int .Values.webhook.confirmAbove }}
{{- end }}
{{- end }}
- --log-format=json
{{- end }}
