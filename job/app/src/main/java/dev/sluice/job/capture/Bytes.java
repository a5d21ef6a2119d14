package dev.sluice.job.capture;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers read from byte arrays, in either byte order. The callers have checked the bounds. */
final class Bytes {
    private static final VarHandle SHORT_BE = view(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT_LE = view(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT_BE = view(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT_LE = view(int[].class, ByteOrder.LITTLE_ENDIAN);

    private Bytes() {}

    private static VarHandle view(Class<?> array, ByteOrder order) {
        return MethodHandles.byteArrayViewVarHandle(array, order);
    }

    static int shortBe(byte[] b, int at) {
        return (short) SHORT_BE.get(b, at) & 0xffff;
    }

    static int shortLe(byte[] b, int at) {
        return (short) SHORT_LE.get(b, at) & 0xffff;
    }

    static int intBe(byte[] b, int at) {
        return (int) INT_BE.get(b, at);
    }

    static int intLe(byte[] b, int at) {
        return (int) INT_LE.get(b, at);
    }

    static int intOf(boolean bigEndian, byte[] b, int at) {
        return bigEndian ? intBe(b, at) : intLe(b, at);
    }

    static int shortOf(boolean bigEndian, byte[] b, int at) {
        return bigEndian ? shortBe(b, at) : shortLe(b, at);
    }

    static long unsignedOf(boolean bigEndian, byte[] b, int at) {
        return intOf(bigEndian, b, at) & 0xffffffffL;
    }
}
