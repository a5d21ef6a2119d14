package dev.sluice.job.flink;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Flink type of elements that one of our serializers encodes.
 *
 * <p>The elements are no key and have no fields. Two types are equal if their serializers are.
 * Thread-safe.
 *
 * @param <T> the elements
 */
public final class SerializedType<T> extends TypeInformation<T> {
    private static final long serialVersionUID = 1L;

    private final Class<T> elements;
    private final TypeSerializer<T> serializer;

    /**
     * Creates a type.
     *
     * @param serializer any thread may use it
     */
    public SerializedType(Class<T> elements, TypeSerializer<T> serializer) {
        this.elements = elements;
        this.serializer = serializer;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<T> getTypeClass() {
        return elements;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return serializer;
    }

    @Override
    public String toString() {
        return elements.getSimpleName();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SerializedType<?> type && type.serializer.equals(serializer);
    }

    @Override
    public int hashCode() {
        return serializer.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof SerializedType;
    }
}
