package dev.sluice.job.importers;

import inet.ipaddr.AddressStringException;
import inet.ipaddr.IPAddressString;
import inet.ipaddr.IPAddressStringParameters;
import inet.ipaddr.IncompatibleAddressException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers and addresses as rule files write them, each checked with its column. */
final class Literals {
    private static final Pattern IPV4 =
            Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");
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
    static long number(String text, int column, long max) throws RuleSyntaxException {
        boolean hex = text.startsWith("0x") || text.startsWith("0X");
        String digits = hex ? text.substring(2) : text;
        long value = -1;
        if (!digits.isEmpty()
                && digits.length() <= 18
                && digits.chars().allMatch(c -> Character.digit(c, hex ? 16 : 10) >= 0)) {
            value = Long.parseLong(digits, hex ? 16 : 10);
        }
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

    /**
     * A number and which of its bits count.
     *
     * @param value 0 in the bits that do not count
     * @param mask 1 in those that do
     */
    record Masked(int value, int mask) {}

    /**
     * {@code value} or {@code value/mask}.
     *
     * @param all the mask where none is written: a number whose lower bits are all 1
     */
    static Masked masked(String text, int column, int all) throws RuleSyntaxException {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return new Masked((int) number(text, column, all), all);
        }
        int value = (int) number(text.substring(0, slash), column, all);
        int mask = (int) number(text.substring(slash + 1), column + slash + 1, all);
        return new Masked(value & mask, mask);
    }

    /** A dotted IPv4 address. */
    static int ipv4(String text, int column) throws RuleSyntaxException {
        Matcher m = IPV4.matcher(text);
        int address = 0;
        boolean good = m.matches();
        for (int i = 1; good && i <= 4; i++) {
            int octet = Integer.parseInt(m.group(i));
            good = octet <= 255;
            address = address << 8 | octet;
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
    static byte[] ipv6(String text, int column) throws RuleSyntaxException {
        try {
            return new IPAddressString(text, IPV6_ONLY).toAddress().getBytes();
        } catch (AddressStringException | IncompatibleAddressException e) {
            throw new RuleSyntaxException(
                    column, text, "is not an IPv6 address; write it as in 2001:db8::1");
        }
    }

    /** A prefix length. */
    static int prefixLength(String text, int column, int bits) throws RuleSyntaxException {
        if (!text.matches("\\d{1,3}") || Integer.parseInt(text) > bits) {
            throw new RuleSyntaxException(
                    column, text, "is not a prefix length; write 0 to " + bits);
        }
        return Integer.parseInt(text);
    }

    /** Mask of a prefix, as 32 bits. */
    static int mask32(int length) {
        return length == 0 ? 0 : -1 << (32 - length);
    }

    /** Mask of a prefix, as 16 bytes. */
    static byte[] mask128(int length) {
        byte[] mask = new byte[16];
        for (int i = 0; i < 16; i++) {
            int bits = Math.max(0, Math.min(8, length - 8 * i));
            mask[i] = (byte) (0xff00 >> bits);
        }
        return mask;
    }

    /** A MAC address: 48 bits, first byte highest. */
    static long mac(String text, int column) throws RuleSyntaxException {
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
