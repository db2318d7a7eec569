from pydantic import Field, PostgresDsn
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Environment variables of these names, in capitals."""

    model_config = SettingsConfigDict(hide_input_in_errors=True)  # a password

    host: str = Field("127.0.0.1", min_length=1)
    port: int = Field(ge=1, le=65_535)
    postgres_url: PostgresDsn
