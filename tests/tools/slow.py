"""A child for test_fuzz.py that takes its time to start."""

import time


def serve(connection, seconds):
    time.sleep(seconds)
    while True:
        connection.send(connection.recv())
