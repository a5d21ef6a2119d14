package dev.sluice.operators.classify;

import dev.sluice.operators.connections.PageImage;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Pages of connections as their own bytes. Nobody changes an image, so a checkpoint takes
 * references, and bytes are made beside the task. Thread-safe.
 */
final class PageSerializer extends TypeSerializerSingleton<PageImage> {
    static final PageSerializer INSTANCE = new PageSerializer();

    private static final long serialVersionUID = 1L;

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public PageImage createInstance() {
        return PageImage.NONE;
    }

    @Override
    public PageImage copy(PageImage from) {
        return from;
    }

    @Override
    public PageImage copy(PageImage from, PageImage reuse) {
        return from;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(PageImage page, DataOutputView target) throws IOException {
        page.writeTo(target);
    }

    @Override
    public PageImage deserialize(DataInputView source) throws IOException {
        return PageImage.readFrom(source);
    }

    @Override
    public PageImage deserialize(PageImage reuse, DataInputView source) throws IOException {
        return PageImage.readFrom(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        PageImage.readFrom(source).writeTo(target);
    }

    @Override
    public TypeSerializerSnapshot<PageImage> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Says that states of this serializer can be read. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<PageImage> {
        /** Called by Flink. */
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
