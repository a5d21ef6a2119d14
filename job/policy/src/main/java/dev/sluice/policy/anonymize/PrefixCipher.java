package dev.sluice.policy.anonymize;

import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * Cipher of addresses that keeps common prefixes (Crypto-PAn). Some prefixes are kept as they are.
 */
final class PrefixCipher {
    /** Bytes of a key: 16 of AES, 16 that the padding is made of. */
    static final int KEY_BYTES = 32;

    private final Cipher aes;
    private final byte[] pad;
    private final List<Kept> kept = new ArrayList<>();

    /**
     * Prefix whose addresses keep the bits behind it.
     *
     * @param whole whether it keeps its own bits, too
     */
    private record Kept(byte[] prefix, int length, boolean whole) {
        boolean keeps(byte[] address, int bit) {
            int common = commonBits(prefix, address, length);
            return common == length ? bit >= length || whole : whole && bit <= common;
        }
    }

    PrefixCipher(byte[] key) {
        try {
            aes = Cipher.getInstance("AES/ECB/NoPadding"); // of one block at a time
            aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, 0, 16, "AES"));
            pad = aes.doFinal(key, 16, 16);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no AES", e);
        }
    }

    /** Keeps a prefix and the bits behind it. */
    void keep(byte[] prefix, int length) {
        kept.add(new Kept(prefix.clone(), length, true));
    }

    /** Keeps the bits behind a prefix of addresses, not the prefix itself. */
    void keepBehind(byte[] prefix, int length) {
        kept.add(new Kept(prefix.clone(), length, false));
    }

    /** The address that stands for another one. */
    byte[] of(byte[] address) {
        byte[] other = address.clone();
        for (int bit = 0; bit < Byte.SIZE * address.length; bit++) {
            if (!isKept(address, bit) && flips(address, bit)) {
                other[bit / Byte.SIZE] ^= (byte) (0x80 >> bit % Byte.SIZE);
            }
        }
        return other;
    }

    private boolean isKept(byte[] address, int bit) {
        for (Kept one : kept) {
            if (one.prefix.length == address.length && one.keeps(address, bit)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a bit changes, which hangs on the bits before it. */
    private boolean flips(byte[] address, int bit) {
        byte[] block = pad.clone();
        int whole = bit / Byte.SIZE;
        System.arraycopy(address, 0, block, 0, whole);
        int mask = 0xff00 >> bit % Byte.SIZE & 0xff;
        if (mask != 0) {
            block[whole] = (byte) (address[whole] & mask | block[whole] & ~mask);
        }
        try {
            return aes.doFinal(block)[0] < 0;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES does not take a block", e);
        }
    }

    /** Number of leading bits that two addresses share, up to a limit. */
    static int commonBits(byte[] a, byte[] b, int most) {
        int differs = Arrays.mismatch(a, b);
        int common =
                differs < 0
                        ? Byte.SIZE * a.length
                        : Byte.SIZE * differs
                                + Integer.numberOfLeadingZeros((a[differs] ^ b[differs]) & 0xff)
                                - 24;
        return Math.min(most, common);
    }
}
