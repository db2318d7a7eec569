"""Servers in containers: docker-compose.yml and Kubernetes from the manifests, and what is judged and raced there."""
