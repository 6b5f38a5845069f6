"""Reading relations from paragraphs: by rules, or by a language model."""
