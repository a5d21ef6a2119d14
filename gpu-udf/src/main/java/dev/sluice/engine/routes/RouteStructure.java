package dev.sluice.engine.routes;

import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.merged.MergedTupleStructure;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * DIR-24-8 tables that change in place: when a prefix comes or goes, the entries that it covers are
 * written anew. A binary trie beside the tables has all prefixes and tells which of them is best
 * for each entry. Rules that are no prefix of the address may come with a delta; they go to merged
 * tuples, which are looked up besides. Not thread-safe.
 *
 * <pre>
 * table  2^24 entries: 0: no rule; slot + 1 of the best rule; top bit set: block of 256 entries
 * trie   node: two children | slot + 1 of the best rule of its prefix; next worse rules by slot
 * </pre>
 */
public final class RouteStructure implements RuleStructure {
    private static final int TOP_BITS = 24;
    private static final int BLOCK = 256;
    private static final int BLOCK_FLAG = Integer.MIN_VALUE;

    private final int address;
    private final int addressPosition;
    private final int ipPosition;
    private final int ipMask;
    private final int ipValue;
    private final Arena arena;
    private final int table;
    private final MergedTupleStructure side;
    private int sideRules;

    /** For each node its two children and the slot + 1 of its best rule; node 1 is the root. */
    private int[] nodes = new int[3 * 64];

    private int nodeCount = 2;
    private int freeNode;

    private int[] rankOfSlot = new int[64];

    /** Next worse rule of the same prefix, slot + 1. */
    private int[] nextOfSlot = new int[64];

    /** Address of each slot's prefix, and its length; -1 for rules beside the tables. */
    private int[] addressOfSlot = new int[64];

    private byte[] lengthOfSlot = new byte[64];

    /**
     * An empty structure for rules like these.
     *
     * @throws UnsupportedRulesException if they are not prefixes of one IPv4 address
     * @throws dev.sluice.engine.image.MemoryBudgetException if the tables pass the budget
     */
    public RouteStructure(RuleSet like, HeaderLayout layout, long budgetBytes) {
        RouteCompiler.Key key = RouteCompiler.key(like);
        if (key.six()) {
            throw new IllegalArgumentException("the rules name IPv6 addresses");
        }
        address = key.address();
        ipMask = key.ipMask();
        ipValue = key.ipValue();
        addressPosition = layout.position(address);
        ipPosition = layout.position(HeaderWord.IP);
        arena = new Arena(RouteAlgorithm.LABEL, budgetBytes);
        table = arena.allocate(1 << TOP_BITS);
        side = new MergedTupleStructure(layout, new Arena(RouteAlgorithm.LABEL, budgetBytes));
    }

    @Override
    public void insert(int slot, int rank, Match match) {
        if (slot >= rankOfSlot.length) {
            int room = Math.max(slot + 1, rankOfSlot.length * 3 / 2);
            rankOfSlot = Arrays.copyOf(rankOfSlot, room);
            nextOfSlot = Arrays.copyOf(nextOfSlot, room);
            addressOfSlot = Arrays.copyOf(addressOfSlot, room);
            lengthOfSlot = Arrays.copyOf(lengthOfSlot, room);
        }
        rankOfSlot[slot] = rank;
        Prefix prefix = prefix(match);
        if (prefix == null) {
            lengthOfSlot[slot] = -1;
            side.insert(slot, rank, match);
            sideRules++;
            return;
        }
        addressOfSlot[slot] = prefix.word(0);
        lengthOfSlot[slot] = (byte) prefix.length();
        int node = 1;
        int above = 0;
        for (int depth = 0; depth < prefix.length(); depth++) {
            above = better(above, nodes[3 * node + 2]);
            int child = 3 * node + (addressOfSlot[slot] >>> 31 - depth & 1);
            if (nodes[child] == 0) {
                int fresh = newNode();
                nodes[child] = fresh;
            }
            node = nodes[child];
        }
        int at = 3 * node + 2;
        int best = nodes[at];
        if (best == 0 || rank < rankOfSlot[best - 1]) {
            nextOfSlot[slot] = best;
            nodes[at] = slot + 1;
        } else {
            int before = best - 1;
            while (nextOfSlot[before] != 0 && rankOfSlot[nextOfSlot[before] - 1] < rank) {
                before = nextOfSlot[before] - 1;
            }
            nextOfSlot[slot] = nextOfSlot[before];
            nextOfSlot[before] = slot + 1;
        }
        if (better(above, nodes[at]) == slot + 1 || prefix.length() > TOP_BITS) {
            rewrite(prefix.word(0), prefix.length());
        }
    }

    /** The prefix of the address that a rule names; null if it names anything else besides. */
    private @Nullable Prefix prefix(Match match) {
        int used = match.usedWords() & ~(1 << address | 1 << HeaderWord.IP);
        if (used != 0
                || match.hasRange()
                || match.mask(HeaderWord.IP) != ipMask
                || match.value(HeaderWord.IP) != ipValue) {
            return null;
        }
        return Prefix.of(match, new int[] {address});
    }

    @Override
    public void remove(int slot) {
        int length = lengthOfSlot[slot];
        if (length < 0) {
            side.remove(slot);
            sideRules--;
            return;
        }
        int[] path = new int[length + 1];
        path[0] = 1;
        for (int depth = 0; depth < length; depth++) {
            path[depth + 1] = nodes[3 * path[depth] + (addressOfSlot[slot] >>> 31 - depth & 1)];
        }
        int at = 3 * path[length] + 2;
        if (nodes[at] == slot + 1) {
            nodes[at] = nextOfSlot[slot];
        } else {
            int before = nodes[at] - 1;
            while (nextOfSlot[before] != slot + 1) {
                before = nextOfSlot[before] - 1;
            }
            nextOfSlot[before] = nextOfSlot[slot];
        }
        for (int depth = length; depth > 0; depth--) {
            int node = path[depth];
            if (nodes[3 * node] != 0 || nodes[3 * node + 1] != 0 || nodes[3 * node + 2] != 0) {
                break;
            }
            nodes[3 * path[depth - 1] + (addressOfSlot[slot] >>> 32 - depth & 1)] = 0;
            nodes[3 * node] = freeNode;
            freeNode = node;
        }
        rewrite(addressOfSlot[slot], length);
    }

    private int newNode() {
        if (freeNode != 0) {
            int node = freeNode;
            freeNode = nodes[3 * node];
            nodes[3 * node] = 0;
            return node;
        }
        if (3 * nodeCount + 3 > nodes.length) {
            nodes = Arrays.copyOf(nodes, nodes.length * 3 / 2 + 3);
        }
        return nodeCount++;
    }

    private int better(int a, int b) {
        return a == 0 || b != 0 && rankOfSlot[b - 1] < rankOfSlot[a - 1] ? b : a;
    }

    /** Writes all entries that a prefix covers. */
    private void rewrite(int address, int length) {
        int cut = Math.min(length, TOP_BITS);
        int above = 0;
        int node = 1;
        for (int depth = 0; depth < cut && node != 0; depth++) {
            above = better(above, nodes[3 * node + 2]);
            node = nodes[3 * node + (address >>> 31 - depth & 1)];
        }
        int from = cut == 0 ? 0 : address >>> 32 - cut << TOP_BITS - cut;
        paint(node, cut, from, above);
    }

    private void paint(int node, int depth, int from, int above) {
        if (depth == TOP_BITS) {
            paintLast(node, from, above);
            return;
        }
        int half = 1 << TOP_BITS - depth - 1;
        if (node == 0) {
            int[] w = arena.words();
            for (int e = from; e < from + 2 * half; e++) {
                if (w[table + e] < 0) {
                    dropBlock(e);
                }
            }
            Arrays.fill(w, table + from, table + from + 2 * half, above);
            return;
        }
        int best = better(above, nodes[3 * node + 2]);
        paint(nodes[3 * node], depth + 1, from, best);
        paint(nodes[3 * node + 1], depth + 1, from + half, best);
    }

    private void dropBlock(int entry) {
        arena.release(arena.words()[table + entry] & ~BLOCK_FLAG, BLOCK);
    }

    /** Writes one entry of the table; a block of entries if there are longer prefixes within it. */
    private void paintLast(int node, int entry, int above) {
        boolean longer = node != 0 && (nodes[3 * node] != 0 || nodes[3 * node + 1] != 0);
        int best = node == 0 ? above : better(above, nodes[3 * node + 2]);
        int old = arena.words()[table + entry];
        if (!longer) {
            if (old < 0) {
                dropBlock(entry);
            }
            arena.words()[table + entry] = best;
            return;
        }
        int block = old < 0 ? old & ~BLOCK_FLAG : arena.allocate(BLOCK);
        arena.words()[table + entry] = block | BLOCK_FLAG;
        paintBlock(node, BLOCK, block, above);
    }

    private void paintBlock(int node, int size, int at, int above) {
        if (node == 0) {
            Arrays.fill(arena.words(), at, at + size, above);
            return;
        }
        int best = better(above, nodes[3 * node + 2]);
        if (size == 1) {
            arena.words()[at] = best;
            return;
        }
        paintBlock(nodes[3 * node], size / 2, at, best);
        paintBlock(nodes[3 * node + 1], size / 2, at + size / 2, best);
    }

    @Override
    public void rerank(int[] ranks) {
        System.arraycopy(ranks, 0, rankOfSlot, 0, Math.min(ranks.length, rankOfSlot.length));
        side.rerank(ranks);
    }

    @Override
    public void search(HeaderBatch headers, int[] ranks, int[] slots) {
        int n = headers.size();
        if (sideRules > 0) {
            side.search(headers, ranks, slots);
        } else {
            Arrays.fill(ranks, 0, n, Integer.MAX_VALUE);
            Arrays.fill(slots, 0, n, -1);
        }
        int[] w = arena.words();
        int[] h = headers.words();
        int addresses = addressPosition * headers.capacity();
        int ip = ipPosition * headers.capacity();
        for (int i = 0; i < n; i++) {
            int address = addressPosition < 0 ? 0 : h[addresses + i];
            int entry = w[table + (address >>> 8)];
            if (entry < 0) {
                entry = w[(entry & ~BLOCK_FLAG) + (address & 0xff)];
            }
            if (entry != 0
                    && rankOfSlot[entry - 1] < ranks[i]
                    && (ipPosition < 0 || (h[ip + i] & ipMask) == ipValue)) {
                ranks[i] = rankOfSlot[entry - 1];
                slots[i] = entry - 1;
            }
        }
    }

    @Override
    public long bytes() {
        return arena.bytes() + side.bytes() + 4L * nodes.length + 13L * rankOfSlot.length;
    }
}
