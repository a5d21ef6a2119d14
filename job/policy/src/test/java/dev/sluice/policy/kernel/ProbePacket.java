package dev.sluice.policy.kernel;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Packet that tests give to the kernel: fields, and the bytes that they make.
 *
 * <p>Not thread-safe.
 */
final class ProbePacket implements Probe {
    /** Packet types as {@code -m pkttype} names them, by the value of their field. */
    static final List<String> PACKET_TYPES = List.of("unicast", "broadcast", "multicast");

    static final int ICMP = 1;
    static final int TCP = 6;
    static final int UDP = 17;
    static final int ICMP6 = 58;

    /** The SPI of authentication headers. */
    static final int SPI = 256;

    private static final int FRAGMENT_HEADER = 44;
    private static final int AUTHENTICATION_HEADER = 51;
    private static final int TO_THIS_HOST = 15;

    private final int version;
    private ProbeHook hook;
    private final BigInteger[] values;

    /**
     * Makes a TCP packet between two addresses.
     *
     * @param version 4 or 6
     */
    ProbePacket(int version, ProbeHook hook) {
        this.version = version;
        this.hook = hook;
        this.values = new BigInteger[ProbeField.values().length];
        for (ProbeField field : ProbeField.values()) {
            set(field, field.usual());
        }
        set(ProbeField.SOURCE, version == 4 ? 0x0a000001L : 0x20010db800000001L, 0);
        set(ProbeField.DESTINATION, version == 4 ? 0x0a000002L : 0x20010db800000002L, 0);
    }

    private ProbePacket(ProbePacket from) {
        version = from.version;
        hook = from.hook;
        values = from.values.clone();
    }

    private void set(ProbeField field, long upper, int lower) {
        BigInteger value = BigInteger.valueOf(upper);
        values[field.ordinal()] =
                version == 4 ? value : value.shiftLeft(64).or(BigInteger.valueOf(lower));
    }

    ProbePacket copy() {
        return new ProbePacket(this);
    }

    int version() {
        return version;
    }

    ProbeHook hook() {
        return hook;
    }

    ProbePacket hook(ProbeHook now) {
        hook = now;
        return this;
    }

    BigInteger get(ProbeField field) {
        return values[field.ordinal()];
    }

    int number(ProbeField field) {
        return values[field.ordinal()].intValue();
    }

    ProbePacket set(ProbeField field, BigInteger value) {
        if (value.signum() < 0 || value.bitLength() > field.bits(version)) {
            throw new IllegalArgumentException(field + " cannot be " + value);
        }
        values[field.ordinal()] = value;
        return this;
    }

    ProbePacket set(ProbeField field, long value) {
        return set(field, BigInteger.valueOf(value));
    }

    /** Tells whether the packet is a fragment behind the first one, without a transport header. */
    boolean isLaterFragment() {
        return number(ProbeField.FRAGMENT) == 1 && number(ProbeField.FRAGMENT_OFFSET) > 0;
    }

    @Override
    public int way() {
        if (hook == ProbeHook.OUTPUT) {
            return number(ProbeField.OUT) | (version == 4 ? 256 : 512);
        }
        return number(ProbeField.IN);
    }

    @Override
    public int mark() {
        return number(ProbeField.MARK);
    }

    @Override
    public byte[] bytes() {
        int length = number(ProbeField.LENGTH);
        ByteBuffer to = ByteBuffer.allocate(length + (hook == ProbeHook.OUTPUT ? 0 : 14));
        if (hook != ProbeHook.OUTPUT) {
            putEthernet(to);
        }
        int end = to.position() + length;
        if (version == 4) {
            putIpv4(to, length);
        } else {
            putIpv6(to, length);
        }
        putTransport(to, end - to.position());
        return to.array();
    }

    /** Returns the destination of the frame that arrives. */
    long destinationMac() {
        return switch (number(ProbeField.PACKET_TYPE)) {
            case 0 -> 0x020000000001L + number(ProbeField.IN);
            case 1 -> 0xffffffffffffL;
            default -> 0x01005e000001L;
        };
    }

    private void putEthernet(ByteBuffer to) {
        put(to, BigInteger.valueOf(destinationMac()), 6);
        put(to, get(ProbeField.SOURCE_MAC), 6);
        to.putShort((short) (version == 4 ? 0x0800 : 0x86dd));
    }

    /** Returns the way after PREROUTING in four bits, then the mark, as namespace.sh takes them. */
    private int tag() {
        int way = hook == ProbeHook.FORWARD ? number(ProbeField.OUT) + 1 : TO_THIS_HOST;
        return hook == ProbeHook.OUTPUT ? 1 : way << 12 | number(ProbeField.MARK);
    }

    private void putIpv4(ByteBuffer to, int length) {
        int start = to.position();
        to.put((byte) 0x45).put((byte) number(ProbeField.TOS)).putShort((short) length);
        to.putShort((short) tag());
        int offset = number(ProbeField.FRAGMENT) == 1 ? number(ProbeField.FRAGMENT_OFFSET) : 0;
        int more = number(ProbeField.FRAGMENT) == 1 ? number(ProbeField.MORE_FRAGMENTS) : 0;
        to.putShort((short) (more << 13 | offset));
        to.put((byte) number(ProbeField.TTL))
                .put((byte) number(ProbeField.PROTOCOL))
                .putShort((short) 0);
        put(to, get(ProbeField.SOURCE), 4);
        put(to, get(ProbeField.DESTINATION), 4);
        int sum = 0;
        for (int at = start; at < start + 20; at += 2) {
            sum += to.getShort(at) & 0xffff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        sum = (sum & 0xffff) + (sum >>> 16);
        to.putShort(start + 10, (short) ~sum);
    }

    private void putIpv6(ByteBuffer to, int length) {
        boolean fragment = number(ProbeField.FRAGMENT) == 1;
        boolean authenticated = number(ProbeField.AUTHENTICATION) == 1;
        int inner = authenticated ? AUTHENTICATION_HEADER : number(ProbeField.PROTOCOL);
        to.putInt(6 << 28 | number(ProbeField.TOS) << 20 | tag());
        to.putShort((short) (length - 40));
        to.put((byte) (fragment ? FRAGMENT_HEADER : inner));
        to.put((byte) number(ProbeField.TTL));
        put(to, get(ProbeField.SOURCE), 16);
        put(to, get(ProbeField.DESTINATION), 16);
        if (fragment) {
            to.put((byte) inner).put((byte) 0);
            int offset = number(ProbeField.FRAGMENT_OFFSET);
            to.putShort((short) (offset << 3 | number(ProbeField.MORE_FRAGMENTS)));
            to.putInt(get(ProbeField.FRAGMENT_ID).intValue());
        }
        if (authenticated) {
            to.put((byte) number(ProbeField.PROTOCOL)).put((byte) 4).putShort((short) 0);
            to.putInt(SPI).putInt(1).putLong(0).putInt(0);
        }
    }

    private void putTransport(ByteBuffer to, int room) {
        int start = to.position();
        int protocol = number(ProbeField.PROTOCOL);
        if (protocol == ICMP || protocol == ICMP6) {
            to.put(start, (byte) number(ProbeField.ICMP_TYPE));
            to.put(start + 1, (byte) number(ProbeField.ICMP_CODE));
            return;
        }
        to.putShort(start, (short) number(ProbeField.SOURCE_PORT));
        to.putShort(start + 2, (short) number(ProbeField.DESTINATION_PORT));
        if (protocol == TCP) {
            int option = number(ProbeField.TCP_OPTION);
            to.put(start + 12, (byte) (option == 0 ? 0x50 : 0x60));
            to.put(start + 13, (byte) number(ProbeField.TCP_FLAGS));
            if (option > 0) { // 1 pads, and has no length
                to.put(start + 20, (byte) option).put(start + 21, (byte) (option == 1 ? 1 : 4));
            }
        } else {
            to.putShort(start + 4, (short) room);
        }
    }

    private static void put(ByteBuffer to, BigInteger value, int bytes) {
        byte[] all = value.toByteArray();
        for (int i = bytes; i > 0; i--) {
            to.put(i <= all.length ? all[all.length - i] : 0);
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("IPv" + version + " " + hook);
        for (ProbeField field : ProbeField.values()) {
            text.append(' ').append(field).append('=');
            boolean hexadecimal = field.bits(6) > 16 || field == ProbeField.MARK;
            text.append(hexadecimal ? "0x" + get(field).toString(16) : get(field).toString());
        }
        return text + " bytes " + HexFormat.of().formatHex(Arrays.copyOf(bytes(), 100));
    }
}
