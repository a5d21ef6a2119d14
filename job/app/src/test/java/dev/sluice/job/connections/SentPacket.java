package dev.sluice.job.connections;

import dev.sluice.operators.connections.PacketTuple;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Packet of a generated history: the frame that the kernel gets, and the fields that the tracker
 * gets.
 *
 * @param version 4 or 6
 * @param source last byte of the address
 * @param destination last byte of the address
 * @param from source port, or identifier of ICMP
 * @param to destination port, or type and code of ICMP
 * @param data bytes of a TCP segment
 * @param shift how far the sequence number of a TCP segment is off
 * @param embedded packet in an ICMP error
 * @param passes whether the rules let the packet through
 */
record SentPacket(
        int version,
        int source,
        int destination,
        int protocol,
        int from,
        int to,
        int flags,
        int data,
        int shift,
        @Nullable SentPacket embedded,
        boolean passes)
        implements Sent {
    private static final int TRANSPORT = 20;

    boolean isControl() {
        return protocol == (version == 4 ? 1 : 58);
    }

    @Override
    public PacketTuple fill(PacketTuple tuple) {
        Sent.addresses(tuple, version == 6, source, destination, protocol);
        return isControl()
                ? tuple.icmp(to >>> 8, to & 0xff, from)
                : tuple.ports(from, to).tcpFlags(flags);
    }

    @Override
    public byte[] frame() {
        ByteBuffer frame = ByteBuffer.allocate(400);
        Sent.putEthernet(frame, version == 6);
        putPacket(frame);
        byte[] bytes = new byte[frame.position()];
        frame.flip().get(bytes);
        return bytes;
    }

    private void putPacket(ByteBuffer to) {
        int header = version == 4 ? 20 : 40;
        int length = header + TRANSPORT + data;
        if (embedded != null) {
            length = header + 8 + header + TRANSPORT + embedded.data;
        }
        int start = to.position();
        Sent.putIp(to, version == 6, source, destination, protocol, length - header, passes);
        int transport = to.position();
        if (isControl()) {
            to.putShort((short) this.to).putShort((short) 0).putShort((short) from);
            to.putShort((short) 0);
            if (embedded != null) {
                embedded.putPacket(to);
            }
        } else {
            to.putShort((short) from).putShort((short) this.to);
            if (protocol == 6) {
                to.putInt(((flags & 2) != 0 ? 1000 : 1001) + shift);
                to.putInt(1001).put((byte) 0x50).put((byte) flags).putShort((short) 1000);
            } else if (protocol == 47) {
                to.putInt(transport, 0);
            } else {
                to.putShort((short) (length - (transport - start))).putShort((short) 1);
            }
        }
        to.position(start + length);
    }
}
