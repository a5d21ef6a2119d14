package dev.sluice.lab.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes hostile inputs of good ones; the same for the same source of random values. */
final class InputMutator {
    private static final int MOST_CHANGES = 6;
    private static final int MOST_BYTES = 128 << 10;
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final String[] NUMBERS = {
        "0", "-1", "1", "65536", "4294967296", "99999999999999999999", "0x", "1e9", "08", ""
    };
    private static final long[] VALUES = {
        0,
        1,
        -1,
        127,
        128,
        255,
        256,
        65535,
        65536,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 32,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private final List<byte[]> seeds;
    private final Random random;

    InputMutator(List<byte[]> seeds, Random random) {
        this.seeds = seeds;
        this.random = random;
    }

    /** The next input. */
    byte[] next() {
        byte[] input = seed().clone();
        for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0; changes--) {
            input = changed(input);
        }
        return input.length <= MOST_BYTES ? input : Arrays.copyOf(input, MOST_BYTES);
    }

    private byte[] seed() {
        return seeds.get(random.nextInt(seeds.size()));
    }

    private byte[] changed(byte[] input) {
        int at = random.nextInt(input.length + 1);
        int to = Math.min(input.length, at + 1 + random.nextInt(1 + random.nextInt(64)));
        switch (random.nextInt(8)) {
            case 0:
                if (at < input.length) {
                    input[at] ^= (byte) (1 << random.nextInt(8));
                }
                return input;
            case 1:
                if (at < input.length) {
                    input[at] = (byte) random.nextInt(256);
                }
                return input;
            case 2: // cut
                return Arrays.copyOf(input, at);
            case 3: // some bytes less
                return joined(
                        Arrays.copyOf(input, at), Arrays.copyOfRange(input, to, input.length));
            case 4: // some bytes twice
                return joined(
                        Arrays.copyOf(input, to), Arrays.copyOfRange(input, at, input.length));
            case 5: // the rest of another seed
                byte[] other = seed();
                int from = random.nextInt(other.length + 1);
                return joined(
                        Arrays.copyOf(input, at), Arrays.copyOfRange(other, from, other.length));
            case 6:
                return withValue(input, at);
            default:
                return withNumber(input);
        }
    }

    private byte[] withValue(byte[] input, int at) {
        int bytes = 1 << random.nextInt(4);
        if (at + bytes > input.length) {
            return input;
        }
        byte[] value =
                ByteBuffer.allocate(8)
                        .order(
                                random.nextBoolean()
                                        ? ByteOrder.BIG_ENDIAN
                                        : ByteOrder.LITTLE_ENDIAN)
                        .putLong(VALUES[random.nextInt(VALUES.length)])
                        .array();
        System.arraycopy(value, random.nextBoolean() ? 0 : 8 - bytes, input, at, bytes);
        return input;
    }

    /** Another number where a text has one, or another word behind it. */
    private byte[] withNumber(byte[] input) {
        String text = new String(input, ISO_8859_1);
        Matcher number = NUMBER.matcher(text);
        if (!number.find(random.nextInt(text.length() + 1))) {
            return input;
        }
        return (text.substring(0, number.start())
                        + NUMBERS[random.nextInt(NUMBERS.length)]
                        + text.substring(number.end()))
                .getBytes(ISO_8859_1);
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }
}
