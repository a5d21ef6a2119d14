package dev.sluice.lab.inplace;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.tuplespace.ArenaStructure;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * One of two copies that share a structure and have a buffer of its arena each. The structure makes
 * a change in the buffer of the copy whose turn it is; when the turn passes to the other copy, the
 * arena copies the words that were written to its buffer first. So the work of a change is done
 * once, and the copies are equal word for word.
 */
final class MirroredCopy extends StructureState {
    private final Shared shared;
    private final MutableImage buffer;

    /** What both copies have in common. */
    private static final class Shared {
        final ArenaStructure structure;

        /**
         * Where in the journal the structure is: the {@link Journal#position} after its last
         * change.
         */
        long position;

        Shared(ArenaStructure structure) {
            this.structure = structure;
        }
    }

    private MirroredCopy(Shared shared, MutableImage buffer) {
        super(shared.structure);
        this.shared = shared;
        this.buffer = buffer;
    }

    /**
     * Makes both copies.
     *
     * @param structure empty; belongs to the copies from now on
     * @param first inserts the first rules; later changes come in another journal
     */
    static MirroredCopy[] both(ArenaStructure structure, Journal first) {
        Shared shared = new Shared(structure);
        MirroredCopy one = new MirroredCopy(shared, structure.arena().buffer());
        one.noteIds(first, 0, first.size());
        one.change(first, 0, first.size());
        MirroredCopy other = new MirroredCopy(shared, structure.arena().addBuffer());
        other.noteIds(first, 0, first.size());
        return new MirroredCopy[] {one, other};
    }

    @Override
    public void readAhead(int slot) {
        shared.structure.readAhead(slot);
    }

    @Override
    public void apply(Journal journal, int from, int to) {
        noteIds(journal, from, to);
        Arena arena = shared.structure.arena();
        if (arena.buffer() != buffer) {
            arena.switchBuffer(buffer);
        }
        // What the other copy has applied already came with its words.
        int next = (int) Math.max(from, shared.position - journal.position(0));
        arena.readsAhead(to - next <= TwoCopies.FEW);
        change(journal, next, to);
        shared.position = journal.position(to);
        arena.publishDirtyLines();
    }

    @Override
    void find(HeaderBatch headers, int[] ranks, int[] slots) {
        shared.structure.search(buffer.words(), headers, ranks, slots);
    }

    /** The words that this copy's readers look into. */
    MutableImage buffer() {
        return buffer;
    }

    @Override
    public long bytes() {
        return 4L * buffer.size() + idBytes();
    }
}
