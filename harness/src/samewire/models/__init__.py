"""The pages of docs/models: drawings, tables that follow from the manifests, and figures of kept records."""
