def problems():
    return []
