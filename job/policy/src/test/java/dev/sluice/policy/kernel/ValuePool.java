package dev.sluice.policy.kernel;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Few values from which a policy draws, so that its rules overlap. */
final class ValuePool {
    /** Devices of the namespace. */
    static final List<String> DEVICES = List.of("lan0", "lan1", "wan0");

    private static final int[] PORTS = {0, 1, 22, 53, 80, 443, 1023, 1024, 8080, 32768, 65535};

    private final int version;
    private final Random random;
    private final List<BigInteger> addresses = new ArrayList<>();
    private final GeneratedSets sets;

    ValuePool(int version, Random random) {
        this.version = version;
        this.random = random;
        for (int i = 0; i < 6; i++) {
            addresses.add(freshAddress());
        }
        addresses.add(hostAddress(random.nextInt(DEVICES.size())));
        sets = new GeneratedSets(this);
    }

    GeneratedSets sets() {
        return sets;
    }

    int version() {
        return version;
    }

    Random random() {
        return random;
    }

    /**
     * Returns an address that routers carry: no loopback, multicast, link-local or broadcast one.
     */
    BigInteger freshAddress() {
        if (version == 4) {
            return BigInteger.valueOf(1 + random.nextInt(126))
                    .shiftLeft(24)
                    .or(new BigInteger(24, random));
        }
        return BigInteger.valueOf(0x2001)
                .shiftLeft(112)
                .or(new BigInteger(20, random).shiftLeft(90))
                .or(new BigInteger(24, random));
    }

    /** Returns the address that namespace.sh gives to a device. */
    BigInteger hostAddress(int device) {
        return version == 4
                ? BigInteger.valueOf(10L << 24 | 77 << 16 | (device + 1) << 8 | 1)
                : BigInteger.valueOf(0xfd77L << 16 | device + 1).shiftLeft(96).or(BigInteger.ONE);
    }

    BigInteger address() {
        BigInteger drawn = addresses.get(random.nextInt(addresses.size()));
        return random.nextInt(4) == 0 ? drawn.xor(new BigInteger(4, random)) : drawn;
    }

    int port() {
        return random.nextInt(8) == 0 ? random.nextInt(65536) : PORTS[random.nextInt(PORTS.length)];
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean chance(int of) {
        return random.nextInt(of) == 0;
    }

    <T> T one(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    int bits() {
        return version == 4 ? 32 : 128;
    }

    String text(BigInteger address) {
        return text(address, bits());
    }

    static String text(BigInteger address, int bits) {
        byte[] bytes = new byte[bits / 8];
        byte[] from = address.toByteArray();
        for (int i = 1; i <= Math.min(from.length, bytes.length); i++) {
            bytes[bytes.length - i] = from[from.length - i];
        }
        try {
            return InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(address.toString(16) + " is no address", e);
        }
    }
}
