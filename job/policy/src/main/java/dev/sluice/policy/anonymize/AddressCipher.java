package dev.sluice.policy.anonymize;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.io.SluiceException;
import inet.ipaddr.ipv6.IPv6Address;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Cipher of the addresses in a text: IPv4, IPv6 and MAC, with their masks, and ranges of them. */
final class AddressCipher {
    private static final String V4 = "[0-9]{1,3}(?:\\.[0-9]{1,3}){3}";
    private static final String V6 = "[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*";
    private static final String MAC = "(?:[0-9A-Fa-f]{1,2}:){5}[0-9A-Fa-f]{1,2}";
    private static final String ANY = "(%s|%s|%s)".formatted(MAC, V6, V4);

    /** An address, and a mask or the last address of a range. */
    private static final Pattern ADDRESS =
            Pattern.compile(
                    "(?<![\\w.:])%s(?![\\w.])(?:/([0-9]{1,3}(?![\\w.:])|%s(?![\\w.]))|-%s(?![\\w.]))?"
                            .formatted(ANY, ANY, ANY));

    private final PrefixCipher v4;
    private final PrefixCipher v6;
    private final PrefixCipher mac;

    AddressCipher(byte[] key) {
        v4 = new PrefixCipher(key);
        v6 = new PrefixCipher(key);
        mac = new PrefixCipher(key);
        keep(v4, "0.0.0.0", 8);
        keep(v4, "127.0.0.0", 8);
        keep(v4, "224.0.0.0", 3); // multicast, reserved, broadcast
        keep(v6, "::", 8);
        keep(v6, "fe80::", 10);
        keep(v6, "ff00::", 8);
        keep(mac, "01:00:5e:00:00:00", 24);
        keep(mac, "01:80:c2:00:00:00", 24);
        keep(mac, "33:33:00:00:00:00", 16);
        keep(mac, "ff:ff:ff:ff:ff:ff", 48);
    }

    private static void keep(PrefixCipher cipher, String prefix, int length) {
        byte[] bytes = bytes(prefix);
        if (bytes == null) {
            throw new IllegalArgumentException(prefix);
        }
        cipher.keep(bytes, length);
    }

    /** The bytes of an address; null: the text is none. */
    private static byte @Nullable [] bytes(String text) {
        try {
            if (text.matches(MAC)) {
                return low(Literals.mac(text, 1), 6);
            }
            return text.indexOf(':') < 0 ? low(Literals.ipv4(text, 1), 4) : Literals.ipv6(text, 1);
        } catch (RuleSyntaxException e) {
            return null; // such as a range of ports
        }
    }

    private static byte[] low(long value, int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (value >>> Byte.SIZE * (count - 1 - i));
        }
        return bytes;
    }

    private PrefixCipher cipher(byte[] address) {
        return address.length == 4 ? v4 : address.length == 6 ? mac : v6;
    }

    /** The bytes that stand for an address. */
    byte[] of(byte[] address) {
        return cipher(address).of(address);
    }

    /** Keeps the bits behind a prefix of addresses, not the prefix itself. */
    void keepBehind(byte[] prefix, int length) {
        cipher(prefix).keepBehind(prefix, length);
    }

    /** Notes masks and ranges of a text that prefixes do not suffice for. */
    void note(String text) {
        Matcher found = ADDRESS.matcher(text);
        while (found.find()) {
            byte[] first = bytes(found.group(1));
            byte[] mask = first == null ? null : mask(found, first.length);
            byte[] last = found.group(4) == null ? null : bytes(found.group(4));
            if (first != null && mask != null && !isPrefix(mask)) {
                cipher(first).keepBehind(first, ones(mask));
            }
            if (first != null && last != null && last.length == first.length) {
                int common = PrefixCipher.commonBits(first, last, Byte.SIZE * first.length);
                cipher(first).keepBehind(first, common);
            }
        }
    }

    /**
     * Notes that a mask leaves bits of an address: those behind its leading ones stay.
     *
     * @throws SluiceException if the mask would be replaced itself
     */
    void noteMask(String address, String mask) {
        byte[] first = bytes(address);
        byte[] bits = bytes(mask);
        if (first == null || bits == null || first.length != bits.length) {
            return; // of numbers
        }
        if (!Arrays.equals(of(bits), bits)) {
            throw new SluiceException(
                    "& %s: a mask that an address cannot be told from; replace the addresses by hand"
                            .formatted(mask));
        }
        cipher(first).keepBehind(first, ones(bits));
    }

    /** The text with other addresses. */
    String of(String text) {
        return of(text, UnaryOperator.identity());
    }

    /**
     * The text with other addresses.
     *
     * @param between takes the text before, between and behind the addresses
     */
    String of(String text, UnaryOperator<String> between) {
        StringBuilder all = new StringBuilder();
        int end = 0;
        Matcher found = ADDRESS.matcher(text);
        while (found.find()) {
            byte[] first = bytes(found.group(1));
            if (first != null) {
                all.append(between.apply(text.substring(end, found.start())));
                all.append(other(found, first));
                end = found.end();
            }
        }
        return all.append(between.apply(text.substring(end))).toString();
    }

    private String other(MatchResult found, byte[] first) {
        byte[] mask = mask(found, first.length);
        byte[] other = of(first);
        for (int i = 0; mask != null && i < mask.length; i++) {
            other[i] &= mask[i];
        }
        String text = text(other, found.group(1));
        byte[] last = found.group(4) == null ? null : bytes(found.group(4));
        if (last != null) {
            return text + "-" + text(of(last), found.group(4));
        }
        return text + found.group().substring(found.group(1).length());
    }

    private static byte @Nullable [] mask(MatchResult found, int bytes) {
        String mask = found.group(2);
        if (mask == null) {
            return null;
        }
        if (mask.indexOf('.') >= 0 || mask.indexOf(':') >= 0) {
            byte[] bits = bytes(mask);
            return bits == null || bits.length != bytes ? null : bits;
        }
        byte[] bits = new byte[bytes];
        System.arraycopy(Literals.mask128(Integer.parseInt(mask)), 0, bits, 0, bytes);
        return bits;
    }

    private static boolean isPrefix(byte[] mask) {
        int length = ones(mask);
        for (int bit = length; bit < Byte.SIZE * mask.length; bit++) {
            if ((mask[bit / Byte.SIZE] >> 7 - bit % Byte.SIZE & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Number of leading bits that are set. */
    private static int ones(byte[] mask) {
        byte[] all = new byte[mask.length];
        Arrays.fill(all, (byte) -1);
        return PrefixCipher.commonBits(mask, all, Byte.SIZE * mask.length);
    }

    private static String text(byte[] address, String like) {
        if (address.length == 4) {
            return "%d.%d.%d.%d"
                    .formatted(
                            address[0] & 0xff,
                            address[1] & 0xff,
                            address[2] & 0xff,
                            address[3] & 0xff);
        }
        if (address.length == 6) {
            StringBuilder text = new StringBuilder();
            for (byte b : address) {
                text.append(text.isEmpty() ? "" : ":").append("%02x".formatted(b));
            }
            boolean capitals = like.chars().anyMatch(c -> c >= 'A' && c <= 'F');
            return capitals ? text.toString().toUpperCase(Locale.ROOT) : text.toString();
        }
        return new IPv6Address(address).toCanonicalString();
    }
}
