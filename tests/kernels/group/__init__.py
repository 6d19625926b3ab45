"""Groups, components and keep orders."""
