package dev.sluice.engine.tuplespace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Objects named by small ids from 0; the id of a removed object is given out again. An array of ids
 * instead of objects spares the garbage collector's write barrier at every change. Not thread-safe.
 */
final class IdTable<T> {
    private final List<@Nullable T> objects = new ArrayList<>();
    private final Deque<Integer> free = new ArrayDeque<>();

    /** Makes an object for the next free id. */
    T add(IntFunction<T> make) {
        Integer id = free.poll();
        T object = make.apply(id == null ? objects.size() : id);
        if (id == null) {
            objects.add(object);
        } else {
            objects.set(id, object);
        }
        return object;
    }

    void remove(int id) {
        objects.set(id, null);
        free.add(id);
    }

    /**
     * The object of an id.
     *
     * @throws NullPointerException if the id names none
     */
    T get(int id) {
        return Objects.requireNonNull(objects.get(id));
    }
}
