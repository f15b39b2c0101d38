#include <functional>
#include <vector>
#include "peneira/peneira.hpp"
int main(){ std::vector<int> v{3,1,2}; 
#if CASE==1
pn::sort(pn::cpu{}, v, std::greater<>{});
#elif CASE==2
struct P{int a; double b;}; std::vector<P> p(3); P r; pn::reduce(pn::cpu{}, p, r, pn::plus{});
#elif CASE==3
enum class E{a,b,c}; pn::ranges f{10, E::a, E::c}; (void)f;
#elif CASE==4
pn::sort(pn::cpu{}, v, [](int a,int b){return a>b;});
#elif CASE==5
std::vector<int> o(3); pn::sort(pn::cpu{}, v, o, std::greater<>{});
#endif
}
