package dev.sluice.policy.kernel;

import java.math.BigInteger;
import java.util.List;
import java.util.Random;

/**
 * Condition on a packet: and, or, not over ranges of field values.
 *
 * <p>It is read in two directions: whether it holds for a packet, and how to change a packet so
 * that it holds, or just does not.
 */
sealed interface Formula {
    Formula ALWAYS = new All(List.of());

    boolean holds(ProbePacket packet);

    /** Changes the packet so that the formula holds, or does not hold, close to its border. */
    void aim(ProbePacket packet, boolean hold, Random random);

    default Formula not() {
        return new Not(this);
    }

    static Formula all(Formula... parts) {
        return new All(List.of(parts));
    }

    static Formula any(List<? extends Formula> parts) {
        return new Not(new All(parts.stream().map(Formula::not).toList()));
    }

    static Formula is(ProbeField field, long value) {
        return range(field, BigInteger.valueOf(value), BigInteger.valueOf(value));
    }

    static Formula range(ProbeField field, long low, long high) {
        return range(field, BigInteger.valueOf(low), BigInteger.valueOf(high));
    }

    static Formula range(ProbeField field, BigInteger low, BigInteger high) {
        return new Range(field, low, high);
    }

    static Formula bits(ProbeField field, BigInteger value, BigInteger mask) {
        return new Bits(field, value, mask);
    }

    static Formula bits(ProbeField field, long value, long mask) {
        return bits(field, BigInteger.valueOf(value), BigInteger.valueOf(mask));
    }

    /** Field between two values, both included; low above high holds nowhere. */
    record Range(ProbeField field, BigInteger low, BigInteger high) implements Formula {
        @Override
        public boolean holds(ProbePacket packet) {
            BigInteger value = packet.get(field);
            return low.compareTo(value) <= 0 && value.compareTo(high) <= 0;
        }

        @Override
        public void aim(ProbePacket packet, boolean hold, Random random) {
            if (hold) {
                BigInteger inside = high.subtract(low).max(BigInteger.ZERO);
                BigInteger offset =
                        switch (random.nextInt(3)) {
                            case 0 -> BigInteger.ZERO;
                            case 1 -> inside;
                            default ->
                                    new BigInteger(inside.bitLength() + 1, random)
                                            .mod(inside.add(BigInteger.ONE));
                        };
                packet.set(field, low.add(offset));
                return;
            }
            BigInteger outside =
                    switch (random.nextInt(3)) {
                        case 0 -> low.subtract(BigInteger.ONE);
                        case 1 -> high.add(BigInteger.ONE);
                        default -> new BigInteger(field.bits(packet.version()), random);
                    };
            if (outside.signum() >= 0 && outside.bitLength() <= field.bits(packet.version())) {
                packet.set(field, outside);
            }
        }
    }

    /** Field equal to a value where a mask has ones; a value outside the mask holds nowhere. */
    record Bits(ProbeField field, BigInteger value, BigInteger mask) implements Formula {
        @Override
        public boolean holds(ProbePacket packet) {
            return packet.get(field).and(mask).equals(value);
        }

        @Override
        public void aim(ProbePacket packet, boolean hold, Random random) {
            BigInteger all =
                    BigInteger.ONE.shiftLeft(field.bits(packet.version())).subtract(BigInteger.ONE);
            BigInteger free = all.andNot(mask);
            BigInteger rest =
                    switch (random.nextInt(4)) {
                        case 0 -> BigInteger.ZERO;
                        case 1 -> free;
                        case 2 -> packet.get(field).and(free);
                        default -> new BigInteger(field.bits(packet.version()), random).and(free);
                    };
            BigInteger aimed = value.and(mask).or(rest);
            if (!hold && mask.signum() != 0) {
                int bit = random.nextBoolean() ? mask.getLowestSetBit() : mask.bitLength() - 1;
                aimed = aimed.flipBit(bit);
            }
            packet.set(field, aimed.and(all));
        }
    }

    /** Conjunction. */
    record All(List<Formula> parts) implements Formula {
        @Override
        public boolean holds(ProbePacket packet) {
            for (Formula part : parts) {
                if (!part.holds(packet)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void aim(ProbePacket packet, boolean hold, Random random) {
            if (hold) {
                parts.forEach(part -> part.aim(packet, true, random));
            } else if (!parts.isEmpty()) {
                parts.get(random.nextInt(parts.size())).aim(packet, false, random);
            }
        }
    }

    /** Facts that the kernel finds out by itself, and the part of packets at which tests aim. */
    record Derived(Formula found, Formula aimed) implements Formula {
        @Override
        public boolean holds(ProbePacket packet) {
            return found.holds(packet);
        }

        @Override
        public void aim(ProbePacket packet, boolean hold, Random random) {
            aimed.aim(packet, hold, random);
        }
    }

    /** Negation. */
    record Not(Formula part) implements Formula {
        @Override
        public boolean holds(ProbePacket packet) {
            return !part.holds(packet);
        }

        @Override
        public void aim(ProbePacket packet, boolean hold, Random random) {
            part.aim(packet, !hold, random);
        }

        @Override
        public Formula not() {
            return part;
        }
    }
}
