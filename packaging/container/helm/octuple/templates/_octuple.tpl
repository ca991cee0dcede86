{{/* For the env of a container. The C library puts its own folder in place of $LIB. */}}
{{- define "octuple.env" -}}
- name: LD_PRELOAD
  value: {{ .Values.octuple.path }}/$LIB/liboctuple-async.so
{{- end }}

{{/* For its volumeMounts. */}}
{{- define "octuple.mount" -}}
- name: octuple
  mountPath: {{ .Values.octuple.path }}
  readOnly: true
{{- end }}

{{/* For the volumes of the pod. */}}
{{- define "octuple.volume" -}}
- name: octuple
{{- if eq .Values.octuple.volume "image" }}
  image:
    reference: {{ .Values.octuple.image }}
    pullPolicy: {{ .Values.octuple.pullPolicy }}
{{- else }}
  emptyDir: {}
{{- end }}
{{- end }}

{{/* For its initContainers; empty with an image volume. */}}
{{- define "octuple.init" -}}
{{- if ne .Values.octuple.volume "image" -}}
- name: octuple
  image: {{ .Values.octuple.image }}
  imagePullPolicy: {{ .Values.octuple.pullPolicy }}
  args: ["copy-to", {{ .Values.octuple.path | quote }}]
  securityContext:
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities:
      drop: ["ALL"]
  volumeMounts:
    - name: octuple
      mountPath: {{ .Values.octuple.path }}
{{- end }}
{{- end }}
