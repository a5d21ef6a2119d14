package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/** Memory of a device, in blocks of the heap that have addresses. Thread-safe. */
final class FakeMemory {
    private final TreeMap<Long, int[]> blocks = new TreeMap<>();
    private final Map<Integer, Deque<Long>> freed = new TreeMap<>();
    private long next = 4096;

    synchronized int size() {
        return blocks.size();
    }

    /** Freed addresses are given out again, as a device does. */
    synchronized long put(int[] words) {
        Deque<Long> again = freed.get(words.length);
        if (again != null && !again.isEmpty()) {
            long address = again.pop();
            blocks.put(address, words);
            return address;
        }
        long address = next;
        blocks.put(address, words);
        next += 4L * words.length + 256 & -256;
        return address;
    }

    synchronized int[] at(long address) {
        int[] words = blocks.get(address);
        if (words == null) {
            throw illegal(address);
        }
        return words;
    }

    synchronized void free(long address) {
        freed.computeIfAbsent(at(address).length, n -> new ArrayDeque<>()).push(address);
        blocks.remove(address);
    }

    /** Writes words to an address that may lie inside a block. */
    synchronized void write(long to, int[] words, int from, int size) {
        Map.Entry<Long, int[]> block = around(to);
        int at = (int) (to - block.getKey()) / 4;
        System.arraycopy(words, from, block.getValue(), at, size);
    }

    /** Sets words to zero, from an address that may lie inside a block. */
    synchronized void clear(long address, long words) {
        Map.Entry<Long, int[]> block = around(address);
        int from = (int) (address - block.getKey()) / 4;
        Arrays.fill(block.getValue(), from, from + (int) words, 0);
    }

    private Map.Entry<Long, int[]> around(long address) {
        Map.Entry<Long, int[]> block = blocks.floorEntry(address);
        if (block == null) {
            throw illegal(address);
        }
        return block;
    }

    private static GpuException illegal(long address) {
        return new GpuException(700, "illegal address " + address);
    }

    /** Forgets all blocks, as a context that is given up does. */
    synchronized void forget() {
        blocks.clear();
        freed.clear();
    }
}
