package dev.sluice.engine.live;

import dev.sluice.engine.image.LiveWords;
import dev.sluice.engine.space.ArenaSpace;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * A copy that has a memory of its own and shares what writes it. The copy whose turn it is gets the
 * changes; the other one gets the words that they wrote, before the next changes are made there. So
 * a change is thought out once, and both copies are the same word for word.
 */
final class FollowingState extends SpaceState {
    private final Writer writer;
    private final LiveWords memory;

    /** What writes both copies. */
    private static final class Writer {
        final ArenaSpace space;

        /** Changes that it has made, by {@link Journal#position} of the copies' journal. */
        long made;

        Writer(ArenaSpace space) {
            this.space = space;
        }
    }

    private FollowingState(Writer writer, LiveWords memory) {
        super(writer.space);
        this.writer = writer;
        this.memory = memory;
    }

    /**
     * Both copies.
     *
     * @param space nothing else writes there
     * @param first holds the rules to begin with; later changes come in another journal
     */
    static FollowingState[] both(ArenaSpace space, Journal first) {
        Writer writer = new Writer(space);
        FollowingState one = new FollowingState(writer, space.arena().memory());
        one.name(first, 0, first.size());
        one.change(first, 0, first.size());
        FollowingState other = new FollowingState(writer, space.arena().alternate());
        other.name(first, 0, first.size());
        return new FollowingState[] {one, other};
    }

    @Override
    public void readAhead(int slot) {
        writer.space.readAhead(slot);
    }

    @Override
    public void apply(Journal journal, int from, int to) {
        name(journal, from, to);
        if (writer.space.arena().memory() != memory) {
            writer.space.arena().moveTo(memory);
        }
        int next = (int) Math.max(from, writer.made - journal.position(0));
        writer.space.arena().readsAhead(to - next <= TwoCopies.FEW);
        change(journal, next, to);
        writer.made = journal.position(to);
        writer.space.arena().noteLacking();
    }

    @Override
    void find(HeaderBatch headers, int[] ranks, int[] slots) {
        writer.space.search(memory.words(), headers, ranks, slots);
    }

    /** The memory. */
    LiveWords memory() {
        return memory;
    }

    @Override
    public long bytes() {
        return 4L * memory.size() + idBytes();
    }
}
