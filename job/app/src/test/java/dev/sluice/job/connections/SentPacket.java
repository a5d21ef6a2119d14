package dev.sluice.job.connections;

import dev.sluice.operators.connections.PacketTuple;
import dev.sluice.policy.kernel.ConnectionKernel;
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
    private static final int NET4 = 0x0a000000;
    private static final int NET6 = 0x20010db8;
    private static final int TRANSPORT = 20;

    boolean isControl() {
        return protocol == (version == 4 ? 1 : 58);
    }

    @Override
    public PacketTuple fill(PacketTuple tuple) {
        if (version == 4) {
            tuple.ipv4(NET4 | source, NET4 | destination, protocol);
        } else {
            tuple.ipv6(
                    new int[] {NET6, 0, 0, source}, new int[] {NET6, 0, 0, destination}, protocol);
        }
        return isControl()
                ? tuple.icmp(to >>> 8, to & 0xff, from)
                : tuple.ports(from, to).tcpFlags(flags);
    }

    @Override
    public byte[] frame() {
        ByteBuffer frame = ByteBuffer.allocate(400);
        frame.putShort((short) (ConnectionKernel.MAC >>> 32)).putInt((int) ConnectionKernel.MAC);
        frame.putShort((short) 0x0200).putInt(0x99);
        frame.putShort((short) (version == 4 ? 0x0800 : 0x86dd));
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
        int ttl = passes ? 64 : ConnectionKernel.DROPPED_TTL;
        int start = to.position();
        if (version == 4) {
            to.putShort((short) 0x4500).putShort((short) length);
            to.putShort((short) ConnectionKernel.FORWARDED).putShort((short) 0);
            to.put((byte) ttl).put((byte) protocol).putShort((short) 0);
            to.putInt(NET4 | source).putInt(NET4 | destination);
            to.putShort(start + 10, checksum(to, start));
        } else {
            to.putInt(6 << 28 | ConnectionKernel.FORWARDED).putShort((short) (length - 40));
            to.put((byte) protocol).put((byte) ttl);
            to.putInt(NET6).putLong(0).putInt(source);
            to.putInt(NET6).putLong(0).putInt(destination);
        }
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

    static short checksum(ByteBuffer bytes, int start) {
        int sum = 0;
        for (int at = start; at < start + 20; at += 2) {
            sum += bytes.getShort(at) & 0xffff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return (short) ~((sum & 0xffff) + (sum >>> 16));
    }
}
