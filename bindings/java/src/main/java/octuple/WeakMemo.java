// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Something that is made of an object once, and lives as long as that object. Objects count by identity. */
final class WeakMemo<K, V> {
    private final Map<Place<K>, Optional<V>> made = new ConcurrentHashMap<>();
    private final ReferenceQueue<K> gone = new ReferenceQueue<>();
    private final Function<K, V> maker;

    /** The maker may return null, and that is remembered too. */
    WeakMemo(Function<K, V> maker) {
        this.maker = maker;
    }

    V of(K object) {
        for (Object place = gone.poll(); place != null; place = gone.poll()) {
            made.remove(place);
        }
        Optional<V> known = made.get(new Place<>(object, null));
        if (known == null) {
            known = made.computeIfAbsent(new Place<>(object, gone), place -> Optional.ofNullable(maker.apply(object)));
        }
        return known.orElse(null);
    }

    int size() {
        return made.size();
    }

    private static final class Place<K> extends WeakReference<K> {
        private final int hash;

        Place(K object, ReferenceQueue<K> queue) {
            super(object, queue);
            hash = System.identityHashCode(object);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            return this == other || other instanceof Place<?> place && get() != null && get() == place.get();
        }
    }
}
