package dev.sluice.lab.generate;

/**
 * A prefix of IPv4 addresses.
 *
 * @param address its first address
 * @param length 0 to 32 bits
 */
record Subnet(int address, int length) {
    static final Subnet ANY = new Subnet(0, 0);

    /** As rule files have it. */
    String text() {
        return RandomParts.dotted(address) + "/" + length;
    }
}
