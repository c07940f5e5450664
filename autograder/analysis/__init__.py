"""What a class's responses say of the items: classical test theory. Imports nothing of the kit."""
