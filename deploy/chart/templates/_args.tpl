{{/* The options of `prevail controller`, a line each. */}}
{{- define "prevail.args" -}}
- --view-only
- --service={{ .Release.Namespace }}/prevail-view
{{- if eq .Values.certificates.from "own" }}
- --secret=prevail-tls
{{- else }}
- --tls-cert=/var/run/prevail/tls/tls.crt
- --tls-key=/var/run/prevail/tls/tls.key
{{- end }}
- --log-format=json
{{- end }}
