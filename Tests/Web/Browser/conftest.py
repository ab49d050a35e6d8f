pytest_plugins = ["installation", "world", "browser", "consoles", "demo"]
