// Ingestion
