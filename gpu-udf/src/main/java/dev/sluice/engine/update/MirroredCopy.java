package dev.sluice.engine.update;

import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.tuplespace.ArenaStructure;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * A copy that has a memory of its own and shares what writes it. The copy whose turn it is gets the
 * changes; the other one gets the words that they wrote, before the next changes are made there. So
 * a change is thought out once, and both copies are the same word for word.
 */
final class MirroredCopy extends StructureState {
    private final Writer writer;
    private final MutableImage memory;

    /** What writes both copies. */
    private static final class Writer {
        final ArenaStructure space;

        /** Changes that it has made, by {@link Journal#position} of the copies' journal. */
        long made;

        Writer(ArenaStructure space) {
            this.space = space;
        }
    }

    private MirroredCopy(Writer writer, MutableImage memory) {
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
    static MirroredCopy[] both(ArenaStructure space, Journal first) {
        Writer writer = new Writer(space);
        MirroredCopy one = new MirroredCopy(writer, space.arena().memory());
        one.name(first, 0, first.size());
        one.change(first, 0, first.size());
        MirroredCopy other = new MirroredCopy(writer, space.arena().alternate());
        other.name(first, 0, first.size());
        return new MirroredCopy[] {one, other};
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
    MutableImage memory() {
        return memory;
    }

    @Override
    public long bytes() {
        return 4L * memory.size() + idBytes();
    }
}
