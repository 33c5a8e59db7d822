"""As much of MQTT 3.1.1 as a device needs that only speaks: connect, publish at QoS 0, again and again."""
import asyncio
import socket
import struct


def text(value):
    """A string with its length before it."""
    data = value.encode()
    return struct.pack("!H", len(data)) + data


def packet(kind, body):
    """A packet with its length before it, in groups of seven bits."""
    length, size = b"", len(body)
    while True:
        size, group = divmod(size, 128)
        length += bytes([group | (128 if size else 0)])
        if not size:
            return bytes([kind]) + length + body


async def speak(port, messages, pause=2.0):
    """Publishes all messages again and again until it is cancelled; `messages` may change meanwhile."""
    connect = packet(0x10, text("MQTT") + bytes([4, 2, 0, 60]) + text("house"))
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as connection:
                connection.sendall(connect)
                connection.recv(4)
                while True:
                    for topic, payload in messages.items():
                        connection.sendall(packet(0x30, text(topic) + payload.encode()))
                    await asyncio.sleep(pause)
        except OSError:
            await asyncio.sleep(0.5)
