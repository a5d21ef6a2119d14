package dev.sluice.job.connections;

import dev.sluice.operators.connections.PacketTuple;
import dev.sluice.policy.kernel.ConnectionKernel;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A packet that the kernel gets as a frame, and the tracker as a tuple. */
interface Sent {
    int NET4 = 0x0a000000;
    int NET6 = 0x20010db8;

    byte[] frame();

    PacketTuple fill(PacketTuple tuple);

    /** The packet in an ICMP error; null: it is none. */
    @Nullable Sent embedded();

    /** Tells whether the rules let it through. */
    boolean passes();

    /** Fills addresses in, of which the last bytes are given. */
    static PacketTuple addresses(
            PacketTuple tuple, boolean six, int source, int destination, int protocol) {
        return six
                ? tuple.ipv6(
                        new int[] {NET6, 0, 0, source},
                        new int[] {NET6, 0, 0, destination},
                        protocol)
                : tuple.ipv4(NET4 | source, NET4 | destination, protocol);
    }

    /** Writes the header of a frame. */
    static void putEthernet(ByteBuffer to, boolean six) {
        to.putShort((short) (ConnectionKernel.MAC >>> 32)).putInt((int) ConnectionKernel.MAC);
        to.putShort((short) 0x0200).putInt(0x99);
        to.putShort((short) (six ? 0x86dd : 0x0800));
    }

    /** Writes an IP header, between addresses of which the last bytes are given. */
    static void putIp(
            ByteBuffer to,
            boolean six,
            int source,
            int destination,
            int protocol,
            int payload,
            boolean passes) {
        int ttl = passes ? 64 : ConnectionKernel.DROPPED_TTL;
        if (six) {
            to.putInt(6 << 28 | ConnectionKernel.FORWARDED).putShort((short) payload);
            to.put((byte) protocol).put((byte) ttl);
            to.putInt(NET6).putLong(0).putInt(source);
            to.putInt(NET6).putLong(0).putInt(destination);
            return;
        }
        int start = to.position();
        to.putShort((short) 0x4500).putShort((short) (20 + payload));
        to.putShort((short) ConnectionKernel.FORWARDED).putShort((short) 0);
        to.put((byte) ttl).put((byte) protocol).putShort((short) 0);
        to.putInt(NET4 | source).putInt(NET4 | destination);
        to.putShort(start + 10, checksum(to, start));
    }

    /** The checksum of an IPv4 header of 20 bytes. */
    static short checksum(ByteBuffer bytes, int start) {
        int sum = 0;
        for (int at = start; at < start + 20; at += 2) {
            sum += bytes.getShort(at) & 0xffff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return (short) ~((sum & 0xffff) + (sum >>> 16));
    }
}
