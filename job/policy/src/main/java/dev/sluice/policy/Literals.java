package dev.sluice.policy;

import inet.ipaddr.AddressStringException;
import inet.ipaddr.IPAddressString;
import inet.ipaddr.IPAddressStringParameters;
import inet.ipaddr.IncompatibleAddressException;
import java.util.regex.Pattern;

/** Numbers and addresses as rule files write them, each checked with its column. */
public final class Literals {
    private static final int OCTET_DIGITS = 3;

    /** Numbers from here on are read as this one; it is beyond all that fits anywhere. */
    private static final long MOST = 1L << 40;

    private static final Pattern MAC = Pattern.compile("([0-9a-fA-F]{1,2}:){5}[0-9a-fA-F]{1,2}");
    private static final IPAddressStringParameters IPV6_ONLY =
            new IPAddressStringParameters.Builder()
                    .allowIPv4(false)
                    .allowEmpty(false)
                    .allowAll(false)
                    .allowSingleSegment(false)
                    .allowPrefix(false)
                    .allowMask(false)
                    .allowWildcardedSeparator(false)
                    .getIPv6AddressParametersBuilder()
                    .allowZone(false)
                    .allowBase85(false)
                    .allowBinary(false)
                    .setRangeOptions(inet.ipaddr.AddressStringParameters.RangeParameters.NO_RANGE)
                    .getParentBuilder()
                    .toParams();

    private Literals() {}

    /** An unsigned number, decimal or 0x-hexadecimal. */
    public static long number(String text, int column, long max) throws RuleSyntaxException {
        boolean hex = text.startsWith("0x") || text.startsWith("0X");
        long value = unsigned(text, hex ? 2 : 0, text.length(), hex ? 16 : 10);
        if (value < 0) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "is not a number; write it in decimal or as 0x and hexadecimal digits");
        }
        if (value > max) {
            throw new RuleSyntaxException(
                    column, text, "is beyond " + max + ", the most that fits there");
        }
        return value;
    }

    /** A number that a switch takes in decimal alone, leading zeros or not. */
    public static long decimal(String text, int column, long max) throws RuleSyntaxException {
        if (text.startsWith("0x") || text.startsWith("0X")) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "is hexadecimal, which a switch does not take there; write it in decimal");
        }
        return number(text, column, max);
    }

    /** The number in a part of a text, {@link #MOST} at most; -1 if it is none. */
    private static long unsigned(String text, int from, int to, int radix) {
        long value = from < to ? 0 : -1;
        for (int i = from; i < to && value >= 0; i++) {
            char c = text.charAt(i);
            int digit = c < 0x80 ? Character.digit(c, radix) : -1;
            value = digit < 0 ? -1 : Math.min(value * radix + digit, MOST);
        }
        return value;
    }

    /** An address of four decimal numbers without needless zeros; -1 for any other text. */
    public static long plainIpv4(String text) {
        long address = 0;
        int octet = -1;
        int dots = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean digit = c >= '0' && c <= '9';
            if (octet < 0 ? !digit : digit ? octet == 0 : c != '.') {
                return -1;
            }
            if (digit) {
                octet = Math.max(octet, 0) * 10 + c - '0';
            } else {
                address = address << 8 | octet;
                octet = -1;
                dots++;
            }
            if (octet > 255 || dots > 3) {
                return -1;
            }
        }
        return dots == 3 && octet >= 0 ? address << 8 | octet : -1;
    }

    /** A dotted IPv4 address. */
    public static int ipv4(String text, int column) throws RuleSyntaxException {
        int address = 0;
        boolean good = true;
        int from = 0;
        for (int i = 1; good && i <= 4; i++) {
            int dot = text.indexOf('.', from);
            int to = i < 4 ? dot : text.length();
            long octet = to - from > OCTET_DIGITS ? -1 : unsigned(text, from, to, 10);
            good = octet >= 0 && octet <= 255;
            address = address << 8 | (int) octet;
            from = to + 1;
        }
        if (!good) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "is not an IPv4 address; write four numbers up to 255, as in 192.0.2.1");
        }
        return address;
    }

    /** An IPv6 address: 16 bytes in network order. */
    public static byte[] ipv6(String text, int column) throws RuleSyntaxException {
        try {
            return new IPAddressString(text, IPV6_ONLY).toAddress().getBytes();
        } catch (AddressStringException | IncompatibleAddressException e) {
            throw new RuleSyntaxException(
                    column, text, "is not an IPv6 address; write it as in 2001:db8::1");
        }
    }

    /** A prefix length. */
    public static int prefixLength(String text, int column, int bits) throws RuleSyntaxException {
        long length = text.length() > 3 ? -1 : unsigned(text, 0, text.length(), 10);
        if (length < 0 || length > bits) {
            throw new RuleSyntaxException(
                    column, text, "is not a prefix length; write 0 to " + bits);
        }
        return (int) length;
    }

    /** Mask of a prefix, as 32 bits. */
    public static int mask32(int length) {
        return length == 0 ? 0 : -1 << (32 - length);
    }

    /** Mask of a prefix, as 16 bytes. */
    public static byte[] mask128(int length) {
        byte[] mask = new byte[16];
        for (int i = 0; i < 16; i++) {
            int bits = Math.max(0, Math.min(8, length - 8 * i));
            mask[i] = (byte) (0xff00 >> bits);
        }
        return mask;
    }

    /** A MAC address: 48 bits, first byte highest. */
    public static long mac(String text, int column) throws RuleSyntaxException {
        if (!MAC.matcher(text).matches()) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "is not a MAC address; write six hexadecimal bytes, as in 02:00:00:00:00:01");
        }
        long mac = 0;
        for (String part : text.split(":")) {
            mac = mac << 8 | Integer.parseInt(part, 16);
        }
        return mac;
    }
}
